// The programs of “In your language”: files of docs/snippets, with what to install and set, and what they print.
import languages from '../../../../../../../docs/snippets/languages.json';
import aiSdk from '../../../../../../../docs/snippets/ai-sdk-agent.ts?raw';
import langgraph from '../../../../../../../docs/snippets/langgraph-agent.py?raw';
import mcp from '../../../../../../../docs/snippets/mcp.json?raw';
import openaiAgents from '../../../../../../../docs/snippets/openai-agent.py?raw';
import pydanticAi from '../../../../../../../docs/snippets/pydantic-ai-agent.py?raw';
import python from '../../../../../../../docs/snippets/quickstart.py?raw';
import curl from '../../../../../../../docs/snippets/quickstart.sh?raw';
import typescript from '../../../../../../../docs/snippets/quickstart.ts?raw';

export interface Language {
  /** The anchor. */
  id: string;
  name: string;
  /** The language of other boxes of the page. */
  family: string;
  file: string;
  /** Shell commands, for the folder of the repository; empty: nothing to install. */
  install: string;
  /** The command that runs it; empty: it is no program. */
  start: string;
  /** The environment variables that it reads. */
  variables: string[];
  /** What it prints when people approve, and when they reject. */
  approved: string;
  rejected: string;
  /** Markdown. */
  note: string;
}

export const LANGUAGES: readonly Language[] = languages;

/** The files, by the language's id. */
const FILES: Readonly<Record<string, string>> = {
  curl,
  typescript,
  python,
  langgraph,
  'openai-agents': openaiAgents,
  'pydantic-ai': pydanticAi,
  'ai-sdk': aiSdk,
  mcp,
};

/** The file as it is stored, with the address of this service where it names one. */
export const codeOf = ({ id }: Language, baseUrl: string): string =>
  (FILES[id] ?? '').replaceAll('${COUNTERSIGN_URL}', baseUrl);

/** The shell commands that install what it needs, set its variables and run it. */
export function commandsOf({ install, variables, start }: Language, values: Readonly<Record<string, string>>): string {
  const set = variables.map((name) => `export ${name}=${values[name] ?? '…'}`);
  return [install, ...set, start].filter((line) => line !== '').join('\n');
}

/** The values of the variables that this page knows, and how the others begin. */
export const valuesOf = (baseUrl: string, projectId: string): Record<string, string> => ({
  COUNTERSIGN_URL: baseUrl,
  COUNTERSIGN_API_KEY: 'csk_…',
  COUNTERSIGN_PROJECT_ID: /^[\w-]+$/.test(projectId) ? projectId : '…',
  OPENAI_API_KEY: 'sk-…',
  AI_GATEWAY_API_KEY: '…',
});
