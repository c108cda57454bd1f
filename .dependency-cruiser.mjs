// Import rules between folders (docs/ARCHITECTURE.md). One rule per folder; each comment says where the import should go instead.

export const TESTS = ['[.](test|contract|fixture)[.]ts$', '^server/test/', '^e2e/'];
const LOCAL = '^(shared|server|web|scripts|e2e|sdk)/';
const SHARED = '^shared/src/';
/** What runs zod: schemas, what joins them with routes, the MCP tools, and the client for pipelines, which checks replies. */
const SCHEMAS = '^shared/src/(schemas/|contract/|mcp/|client/|client[.]ts$)';
const ZOD = 'node_modules/zod/';
const TYPES = { dependencyTypesNot: ['type-only'] };
const room = (name) => `^server/src/${name}/`;

const DOMAIN = room('domain');
const CRYPTO = room('crypto');
const DB = room('db');
const EMBEDDED = room('embedded');
/** The log with what names the sources in its stacks. */
const LOG = '^server/src/(log|source-positions)[.]ts$';
const OPEN_FOR_COMMAND = '^server/src/open-for-command[.]ts$';
const ENTITIES = '^server/src/db/entities/';
const CLAIM_LOCK = '^server/src/claims/claim-lock[.]ts$';
const LIMITER = '^server/src/limits/(limiter|policies)[.]ts$';
/** Per-process resource counters: bytes, connections, and turns. */
const ROOM = '^server/src/limits/(memory-limits|memory-budget|concurrency-limiter|round-robin|tally)[.]ts$';
const USECASES = room('usecases');
const SERVICES = '^server/src/usecases/services[.]ts$';
const SESSIONS = '^server/src/usecases/credentials/sessions[.]ts$';

/** A rule that lets a folder import itself and `may`, and nothing else of this repository. Tests are exempt. */
const only = ({ name, from, may, comment }) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from, pathNot: TESTS },
  to: { path: LOCAL, pathNot: [from, ...may] },
});

/** A rule that lets a folder use only the packages and Node modules of `may` (patterns). */
const packagesOnly = ({ name, from, may, comment }) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from, pathNot: TESTS },
  to: { pathNot: [LOCAL, ...may] },
});

const rooms = [
  only({
    name: 'shared-knows-only-itself',
    from: SHARED,
    may: [],
    comment: 'shared/ is the contract: what needs server or web code belongs there.',
  }),
  only({
    name: 'domain-knows-only-shared',
    from: DOMAIN,
    may: [SHARED],
    comment:
      'Rules take values and return values: load in the use case, pass the value in, and let the use case act on the answer.',
  }),
  only({
    name: 'crypto-knows-only-domain',
    from: CRYPTO,
    may: [SHARED, DOMAIN],
    comment:
      'crypto/ is a leaf of pure functions over bytes: the caller in usecases/, http/, delivery/ or worker/ fetches and stores.',
  }),
  only({
    name: 'db-knows-only-domain',
    from: DB,
    may: [SHARED, DOMAIN],
    comment: 'db/ holds rows and transactions: what decides goes to domain/, what combines goes to usecases/.',
  }),
  only({
    name: 'claims-know-only-domain',
    from: room('claims'),
    may: [SHARED, DOMAIN],
    comment: 'A lock stores leases and knows no rows: the use case bumps the fence in the database.',
  }),
  only({
    name: 'limits-know-only-domain',
    from: room('limits'),
    may: [SHARED, DOMAIN],
    comment: 'A limiter counts keys of its callers and knows no people: choosing the key belongs to http/.',
  }),
  only({
    name: 'usecases-see-ports-not-adapters',
    from: USECASES,
    may: [SHARED, DOMAIN, CRYPTO, DB, room('analytics'), CLAIM_LOCK, LIMITER, ROOM],
    comment:
      'A use case reaches the outside through usecases/services.ts: declare what it needs there and let build-services.ts supply it.',
  }),
  only({
    name: 'presenters-see-entities-only',
    from: room('presenters'),
    may: [SHARED, DOMAIN, ENTITIES],
    comment: 'A presenter turns its rows into contract shapes: query in usecases/ and pass the rows in.',
  }),
  only({
    name: 'delivery-leases-sends-records',
    from: room('delivery'),
    may: [SHARED, DOMAIN, CRYPTO, DB, SERVICES],
    comment:
      'delivery/ leases, sends and records: a rule goes to domain/webhooks/, what starts and wakes it to worker/.',
  }),
  only({
    name: 'http-asks-usecases',
    from: room('http'),
    may: [SHARED, DOMAIN, CRYPTO, USECASES, room('presenters'), LIMITER, ROOM],
    comment:
      'A route parses, calls one use case or query and presents: put the query into usecases/, the event into appendEvent().',
  }),
  only({
    name: 'realtime-reads-the-event-log',
    from: room('realtime'),
    may: [SHARED, DOMAIN, DB, room('presenters'), SERVICES, SESSIONS, ROOM],
    comment: 'Sockets send events and accept no commands: a command is an HTTP route and a use case.',
  }),
  only({
    name: 'analytics-reads-the-database',
    from: room('analytics'),
    may: [SHARED, DOMAIN, DB],
    comment: 'Rollups are derived from the event log: what must change state is a use case.',
  }),
  only({
    name: 'worker-leases-acts-records',
    from: room('worker'),
    may: [SHARED, DOMAIN, CRYPTO, DB, CLAIM_LOCK, room('delivery'), room('analytics'), SERVICES],
    comment:
      'A loop leases rows, acts and records: a rule goes to domain/, sending to delivery/, counting to analytics/; sockets follow the event log automatically.',
  }),
  only({
    name: 'invariants-read-the-database',
    from: room('invariants'),
    may: [SHARED, DOMAIN, DB, room('analytics'), room('delivery')],
    comment: 'invariants/ asks and changes nothing: what an item may do is a rule in domain/.',
  }),
  only({
    name: 'telemetry-reads-the-database',
    from: room('telemetry'),
    may: [SHARED, DB, ROOM],
    comment: 'telemetry/ counts what callers report and reads the rest: start.ts wires the callers.',
  }),
  only({
    name: 'embedded-knows-only-itself',
    from: EMBEDDED,
    may: [],
    comment:
      'embedded/ runs a PostgreSQL server and knows nothing of what is in it: tables and connections belong to db/.',
  }),
  {
    name: 'nobody-imports-main',
    severity: 'error',
    comment:
      'main.ts is the program, service.ts runs the service, and start.ts starts it: move what others need into the folder it belongs to. The demo and the bench start it too.',
    from: {
      pathNot: [
        '^scripts/(lib/demo/run-demo|bench/(intake|claims)-server)[.]ts$',
        '^server/src/(main|service)[.]ts$',
        ...TESTS,
      ],
    },
    to: { path: '^server/src/(main|service|start)[.]ts$' },
  },
  {
    name: 'only-commands-open-services',
    severity: 'error',
    comment: 'open-for-command.ts is for the commands on the database: the service takes Services as an argument.',
    from: { pathNot: ['^scripts/(access|export|forget|invariants|rollups)[.]ts$', ...TESTS] },
    to: { path: OPEN_FOR_COMMAND },
  },
  only({
    name: 'open-for-command-opens-services',
    from: OPEN_FOR_COMMAND,
    may: ['^server/src/(build-services|config)[.]ts$', DB, EMBEDDED],
    comment:
      'open-for-command.ts opens the services of build-services.ts on an existing database: what acts on them is the command.',
  }),
  only({
    name: 'log-knows-bundle-and-db',
    from: LOG,
    may: ['^server/src/bundle[.]ts$', DB],
    comment: 'The log hides values of statements and names sources: what is logged is for the caller to pass in.',
  }),
  {
    name: 'only-the-top-creates-the-log',
    severity: 'error',
    comment: 'Take the log as an argument, or from Services: only service.ts and build-services.ts create it.',
    from: {
      path: '^(server|shared|web|scripts)/',
      pathNot: ['^server/src/(service|build-services)[.]ts$', LOG, ...TESTS],
    },
    to: { path: LOG },
  },
  {
    name: 'main-loads-the-service',
    severity: 'error',
    comment:
      'main.ts chooses between bundle and sources: what it imports is loaded from the sources, also beside the bundle.',
    from: { path: '^server/src/main[.]ts$' },
    to: { path: LOCAL, pathNot: ['^server/src/(bundle|service)[.]ts$'] },
  },
  {
    name: 'service-loads-little',
    severity: 'error',
    comment: 'service.ts launches PostgreSQL before the rest is loaded: import what it needs in start.ts instead.',
    from: { path: '^server/src/service[.]ts$' },
    to: {
      path: LOCAL,
      pathNot: ['^server/src/(config|log)[.]ts$', EMBEDDED],
      dependencyTypesNot: ['dynamic-import', 'type-only'],
    },
  },
  {
    name: 'bundle-knows-nothing',
    severity: 'error',
    comment: 'bundle.ts runs before everything else and is loaded from the sources: it needs nothing but Node.',
    from: { path: '^server/src/bundle[.]ts$' },
    to: { path: LOCAL },
  },
  {
    name: 'only-start-builds-services',
    severity: 'error',
    comment: 'Take Services as an argument (usecases/services.ts) instead of building them.',
    from: { pathNot: ['^server/src/(start|open-for-command)[.]ts$', ...TESTS] },
    to: { path: '^server/src/build-services[.]ts$' },
  },
  {
    name: 'only-the-top-sees-config',
    severity: 'error',
    comment:
      'Take the one value as an argument, or declare it in usecases/services.ts: only service, start, open-for-command and build-services know the config.',
    from: {
      path: '^(server|shared|web)/',
      pathNot: ['^server/src/(service|start|open-for-command|build-services)[.]ts$', ...TESTS],
    },
    to: { path: '^server/src/config[.]ts$' },
  },
  {
    name: 'config-knows-no-room',
    severity: 'error',
    comment: 'config.ts turns the environment into values: what acts on a value takes it from build-services.ts.',
    from: { path: '^server/src/config[.]ts$' },
    to: { path: LOCAL, pathNot: [SHARED] },
  },
  only({
    name: 'mcp-program-calls-the-public-api',
    from: '^sdk/mcp/',
    may: [SHARED, '^server/src/http/mcp/tool-server[.]ts$'],
    comment:
      'countersign-mcp runs on other machines: it reaches the service by the client in shared/, and shares only the tools.',
  }),
  only({
    name: 'ai-sdk-calls-the-client',
    from: '^sdk/ai-sdk/',
    may: ['^shared/src/client[.]ts$'],
    comment: 'The adapter is installed beside the client, which is all that it may import of this repository.',
  }),
  only({
    name: 'web-knows-only-shared',
    from: '^web/',
    may: [SHARED],
    comment: 'The page and the server meet in shared/ alone: put the shape there.',
  }),
];

/** Types of schemas are free: they leave nothing in the bundle. */
const schemas = [
  {
    name: 'web-loads-no-schema',
    severity: 'error',
    comment:
      'A page calls routes and reads lists from enums.ts and limits.ts; of a schema, and of zod, it may import only types.',
    from: { path: '^web/src/', pathNot: TESTS },
    to: { path: [SCHEMAS, ZOD], ...TYPES },
  },
  {
    name: 'what-pages-load-has-no-schema',
    severity: 'error',
    comment: 'Pages load this file: put the schema into shared/src/schemas/, and import its type with `import type`.',
    from: { path: SHARED, pathNot: [SCHEMAS, ...TESTS] },
    to: { path: [SCHEMAS, ZOD], ...TYPES },
  },
];

const packages = [
  packagesOnly({
    name: 'shared-uses-zod-alone',
    from: SHARED,
    may: [ZOD],
    comment: 'shared/ runs in browsers and in receivers: zod and the platform are all it may use.',
  }),
  packagesOnly({
    name: 'domain-uses-no-package',
    from: DOMAIN,
    may: [],
    comment: 'A rule needs neither package nor Node module: do that work in the use case and pass the result in.',
  }),
  packagesOnly({
    name: 'crypto-uses-few-packages',
    from: CRYPTO,
    may: ['^(node:)?(crypto|zlib)$', 'node_modules/(tweetnacl|bs58)/'],
    comment:
      'node:crypto, node:zlib (CRC32), tweetnacl and bs58 cover signing and encryption here: anything else belongs to an adapter.',
  }),
];

const habits = [
  {
    name: 'no-cycles',
    severity: 'error',
    comment: 'Two files that need each other hide a third: move what both need below them. Type-only cycles count.',
    // A component that renders a tree imports itself; that is no cycle.
    from: { path: '(.+)' },
    to: { circular: true, pathNot: '^$1$' },
  },
  {
    name: 'no-barrels',
    severity: 'error',
    comment: 'Import the file that has it; files that only re-export are where knots begin.',
    from: { path: LOCAL },
    to: { path: `${LOCAL}.*/index[.](ts|js)$` },
  },
  {
    name: 'tests-stay-outside',
    severity: 'error',
    comment: 'Product code does not import test code: move the shared piece into the folder it belongs to.',
    from: { pathNot: TESTS },
    to: { path: TESTS },
  },
  {
    name: 'every-import-resolves',
    severity: 'error',
    comment: 'The file or package does not exist, or its package.json does not export it.',
    // Snippets import the packages of sdk/, which nobody installs here: server/test/journeys/pipeline/languages.ts resolves them.
    from: { pathNot: '^docs/snippets/' },
    to: { couldNotResolve: true, pathNot: '^[$](app|env)/' },
  },
];

export default {
  forbidden: [...rooms, ...schemas, ...packages, ...habits],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(build|build-[^/]+|[.]svelte-kit)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'svelte', 'browser', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
