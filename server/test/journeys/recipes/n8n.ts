// A stand-in for n8n: runs the nodes that the recipe uses, with expressions, webhooks, and executions that wait.
import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import { listenDuringTest } from './recipe.ts';

/** A node of a workflow, as n8n stores it. */
export interface WorkflowNode {
  name: string;
  type: string;
  typeVersion: number;
  parameters: Parameters;
  credentials?: Record<string, { id: string }>;
}

interface Parameters {
  [name: string]: unknown;
  options?: { rawBody?: boolean; responseCode?: number; response?: { response: { fullResponse?: boolean } } };
}

export interface Workflow {
  name: string;
  nodes: WorkflowNode[];
  connections: Record<string, { main: { node: string; type: string; index: number }[][] }>;
}

type Data = Record<string, unknown>;

/** An execution: `running`, `waiting` for its resume URL, or ended. */
export interface Execution {
  readonly id: string;
  readonly workflow: string;
  status: 'running' | 'waiting' | 'success' | 'error';
  /** What the last node that ran gave. */
  last: Data;
  /** The names of the nodes that ran, in order. */
  readonly path: string[];
}

interface Running extends Execution {
  token: string;
  resume: (() => void) | undefined;
  outputs: Map<string, Data>;
  raw: Buffer;
  respond: (status: number) => void;
}

export interface Engine {
  readonly url: string;
  readonly executions: readonly Execution[];
  /** So many requests to resume URLs come, as it seems, before the execution waits. */
  tooEarly: number;
}

/** What the HTTP requests and the HMAC of the workflows use, by the ID of the credentials. */
export interface Credentials {
  countersignApiKey: string;
  countersignWebhookSecret: string;
}

/** Starts the workflows; their webhooks are below `url`, as in n8n. */
export async function startEngine(workflows: readonly Workflow[], credentials: Credentials): Promise<Engine> {
  const executions: Running[] = [];
  const server = createServer((request, response) => {
    const answer = (status: number, text = '') => void response.writeHead(status).end(text);
    route(request).then(
      ({ status, text }) => answer(status, text),
      (error: unknown) => answer(500, String(error)),
    );
  });
  const url = await listenDuringTest(server);

  async function route(request: IncomingMessage): Promise<{ status: number; text?: string }> {
    const raw = await buffer(request);
    const { pathname, searchParams } = new URL(request.url ?? '', url);
    const [, kind, name] = pathname.split('/');
    if (kind === 'webhook-waiting') return resume(name ?? '', searchParams.get('signature'));
    for (const workflow of workflows) {
      const node = workflow.nodes.find((each) => each.type.endsWith('.webhook') && each.parameters['path'] === name);
      if (node !== undefined) return started(workflow, node, { raw, request });
    }
    return { status: 404 };
  }

  /** Answers as n8n 2.41.1 does. */
  function resume(id: string, token: string | null): { status: number; text?: string } {
    const execution = executions.find((each) => each.id === id);
    if (execution === undefined) return { status: 404 };
    if (token !== execution.token) return { status: 401 };
    if (execution.status === 'running' || (engine.tooEarly -= 1) >= 0)
      return { status: 409, text: `The execution "${id}" is running already.` };
    if (execution.resume === undefined) return { status: 409, text: `The execution "${id} has finished already.` };
    execution.resume();
    return { status: 200 };
  }

  async function started(
    workflow: Workflow,
    node: WorkflowNode,
    { raw, request }: { raw: Buffer; request: IncomingMessage },
  ) {
    const { promise, resolve } = Promise.withResolvers<number>();
    const execution: Running = {
      ...{ id: String(executions.length + 1), workflow: workflow.name, status: 'running', last: {}, path: [] },
      ...{ token: randomBytes(8).toString('hex'), resume: undefined, outputs: new Map(), raw, respond: resolve },
    };
    executions.push(execution);
    const body = JSON.parse(raw.toString()) as unknown;
    void execute(execution, { workflow, first: node, input: { headers: request.headers, body } });
    if (node.parameters['responseMode'] === 'onReceived') resolve(200);
    return { status: await promise };
  }

  async function execute(
    execution: Running,
    { workflow, first, input }: { workflow: Workflow; first: WorkflowNode; input: Data },
  ): Promise<void> {
    try {
      let [node, data, output]: [WorkflowNode | undefined, Data, number] = [first, input, 0];
      while (node !== undefined) {
        execution.path.push(node.name);
        [data, output] = await runNode(node, { execution, data });
        execution.outputs.set(node.name, data);
        execution.last = data;
        const next: string | undefined = workflow.connections[node.name]?.main[output]?.[0]?.node;
        node = workflow.nodes.find(({ name }) => name === next);
      }
      execution.status = 'success';
    } catch (error) {
      execution.status = 'error';
      execution.last = { error: String(error) };
      execution.respond(500);
    }
  }

  /** The data that the node gives, and at which of its outputs. */
  async function runNode(
    node: WorkflowNode,
    { execution, data }: { execution: Running; data: Data },
  ): Promise<[Data, number]> {
    const given = evaluated(node.parameters, { execution, data, url }) as Parameters;
    switch (node.type) {
      case 'n8n-nodes-base.webhook':
        return [data, 0];
      case 'n8n-nodes-base.set':
        return [fieldsOf(given), 0];
      case 'n8n-nodes-base.if':
        return [data, conditionOf(given) ? 0 : 1];
      case 'n8n-nodes-base.crypto': {
        const hmac = createHmac('sha256', credentials.countersignWebhookSecret).update(execution.raw);
        return [{ [String(given['dataPropertyName'])]: hmac.digest('hex') }, 0];
      }
      case 'n8n-nodes-base.httpRequest':
        return [await request(node, given), 0];
      case 'n8n-nodes-base.respondToWebhook':
        execution.respond(given.options?.responseCode ?? 200);
        return [data, 0];
      case 'n8n-nodes-base.wait': {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        execution.resume = () => resolve(undefined);
        execution.status = 'waiting';
        await promise;
        execution.resume = undefined;
        execution.status = 'running';
        return [{}, 0];
      }
      default:
        throw new Error(`No node ${node.type}.`);
    }
  }

  async function request(node: WorkflowNode, given: Parameters): Promise<Data> {
    const named = (given['headerParameters'] as { parameters: { name: string; value: string }[] } | undefined)
      ?.parameters;
    const headers = new Headers(named?.map(({ name, value }): [string, string] => [name, value]));
    if (node.credentials?.['httpHeaderAuth'] !== undefined) headers.set('x-api-key', credentials.countersignApiKey);
    const body = given['jsonBody'] as string | undefined;
    if (body !== undefined) headers.set('content-type', 'application/json');
    const target = { method: String(given['method']), redirect: 'manual', headers } as const;
    const answer = await fetch(String(given['url']), body === undefined ? target : { ...target, body });
    const text = await answer.text();
    if (given.options?.response?.response.fullResponse === true) return { statusCode: answer.status, data: text };
    if (!answer.ok) throw new Error(text);
    return JSON.parse(text) as Data;
  }

  const engine: Engine = { url, executions, tooEarly: 0 };
  return engine;
}

function fieldsOf(given: Parameters): Data {
  const { assignments } = given['assignments'] as { assignments: { name: string; value: unknown }[] };
  return Object.fromEntries(assignments.map(({ name, value }) => [name, value]));
}

function conditionOf(given: Parameters): boolean {
  const { conditions } = given['conditions'] as { conditions: { leftValue: unknown }[] };
  return conditions.every(({ leftValue }) => {
    if (typeof leftValue !== 'boolean') throw new Error(`A strict condition got ${JSON.stringify(leftValue)}.`);
    return leftValue;
  });
}

interface Scope {
  execution: Running;
  data: Data;
  url: string;
}

/** The parameters, with their expressions evaluated: a text that begins with `=`, with code in `{{ }}`. */
function evaluated(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string' && value.startsWith('=')) return evaluatedText(value.slice(1), scope);
  if (Array.isArray(value)) return value.map((each) => evaluated(each, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, evaluated(each, scope)]));
}

function evaluatedText(text: string, { execution, data, url }: Scope): unknown {
  const context = {
    $json: data,
    $: (name: string) => ({ first: () => ({ json: execution.outputs.get(name) }) }),
    $workflow: { id: execution.workflow },
    $execution: { id: execution.id, resumeUrl: `${url}/webhook-waiting/${execution.id}?signature=${execution.token}` },
    encodeURIComponent,
  };
  const evaluate = (code: string): unknown => runInNewContext(code, context) as unknown;
  const [, whole] = /^\{\{((?:(?!\}\}).)*)\}\}$/s.exec(text) ?? [];
  if (whole !== undefined) return evaluate(whole);
  return text.replaceAll(/\{\{(.*?)\}\}/gs, (_, code: string) => String(evaluate(code)));
}
