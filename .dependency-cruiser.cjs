/** Imports between folders (docs/contribute/architecture.md). Type imports count, unless a rule excludes them. */
const rooms =
  'core|workflows|activities|providers|taskservs|modules|client|definition|settings|home|secrets|sops|encryption|stores|workers|app|authoring|members|upstream|sdk|cli|temporal-ui|api';
/** The kinds of state and their interfaces, without their locations. */
const state = 'stores/(?!open-)[^/]+\\.ts$';
/** The file of `authoring/` that opens stores: the local ssh needs the key of an infra, which no method returns. */
const opensStores = 'secrets/key-folder';
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: '\\.test\\.ts$' },
  to: { path: `^(${rooms})/`, pathNot: allowed },
});
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'type imports count: what two files need of each other is in the lower one, or in a file of types',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'properties-have-one-seed',
      comment: 'a property drawn with a seed of its own fails at random: test/support/fast-check.ts sets the seed of all',
      severity: 'error',
      from: { pathNot: '^test/support/fast-check\\.ts$' },
      to: { path: '^node_modules/fast-check/' },
    },
    {
      name: 'vm-is-no-boundary',
      comment:
        'a context of node:vm is no boundary: strangers’ programs run in QuickJS. The files named here use it as a time limit and for compiled code, or change it',
      severity: 'error',
      from: {
        pathNot:
          '^(modules/watched|cli/start/pack|scripts/pack/record-(code|command|worker)|workers/(start/worker-pack|workflow-threads)|bench/plan/main)\\.ts$',
      },
      to: { path: '^(node:)?vm$' },
    },
    only('core-knows-nothing', '^core/', '^core/', 'core is the vocabulary: pure, no I/O'),
    {
      name: 'core-does-no-io',
      severity: 'error',
      from: { path: '^(core|taskservs)/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    only('workflows-know-core', '^workflows/', '^(workflows|core)/|^activities/', 'workflows keep the order of events'),
    {
      name: 'workflows-know-activities-by-type',
      severity: 'error',
      from: { path: '^workflows/', pathNot: '\\.test\\.ts$' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-do-not-carry-zod',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^core/schema/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'activities-know',
      '^activities/',
      `^(activities|core|secrets|modules|providers/(registry|index)|taskservs/(registry|index))|^${state}`,
      'activities touch the world',
    ),
    only('sdk-knows-core', '^sdk/', '^(sdk|core)/', 'what authors of taskservs and providers import'),
    only('taskservs-know-sdk', '^taskservs/(?!app-)([^/]+)/', '^sdk/index\\.ts$|^taskservs/$1/', 'a taskserv stands alone'),
    only(
      'companions-of-app-know-app',
      '^taskservs/(app-[^/]+)/',
      '^sdk/index\\.ts$|^taskservs/(app|$1)/',
      'what an application brings along is a part of it',
    ),
    {
      name: 'upcloud-client-stands-alone',
      comment: 'a client of UpCloud that can be published by itself: fetch and zod, nothing of ours, no Node built-ins',
      severity: 'error',
      from: { path: '^providers/upcloud/client/', pathNot: '\\.test\\.ts$|/recordings/|test-server\\.ts$' },
      to: { pathNot: '^providers/upcloud/client/(?!recordings/|test-server)|^node_modules/zod/' },
    },
    only('providers-know-sdk', '^providers/([^/]+)/', '^sdk/index\\.ts$|^providers/$1/', 'a provider stands alone'),
    only('modules-know-core', '^modules/', '^(modules|core)/', 'taskservs of a workspace, in an engine of their own'),
    only('home-knows', '^home/', '^(home|core)/', 'where things lie, and that they are private'),
    only(
      'settings-know',
      '^settings/',
      '^(settings|home|core|sops)/|^definition/source/',
      'what is set, from the environment and from files',
    ),
    only(
      'definition-knows',
      '^definition/',
      '^(definition|core|modules)/|^(providers|taskservs)/registry',
      'loading needs the schemas of the registries',
    ),
    only(
      'secrets-know',
      '^secrets/',
      `^(secrets|core)/|^(providers|taskservs)/registry|^${state}`,
      'credentials, and secrets by infra',
    ),
    only('sops-knows-core', '^sops/', '^(sops|core)/', 'files of SOPS and keys of age stand alone'),
    only('encryption-knows-core', '^encryption/', '^(encryption|core|home)/', 'keys, ciphers and the payload codec stand alone'),
    only('temporal-ui-knows', '^temporal-ui/', '^(temporal-ui|core|encryption)/', "Temporal's Web UI, decrypted, behind a session"),
    only(
      'api-knows',
      '^api/',
      '^(api|app|core)/',
      'a front door for programs on other machines; whoever starts it opens the stores and the engine',
    ),
    only('stores-know', '^stores/', '^(stores|core|home|encryption)/', 'what is kept beside history, for a home or a team'),
    only(
      'client-knows',
      '^client/',
      '^(client|app|core|definition|home|settings|encryption|stores)/',
      'a front door for programs, and how the others reach the platform',
    ),
    {
      name: 'remote-client-is-pure',
      comment:
        'the client of a server runs on any machine with Node: no Temporal, no stores, no keys, no schemas, no programs. closure.test.ts there checks all that it loads',
      severity: 'error',
      from: {
        path: '^client/(http/|client\\.ts|all-pages\\.ts|connection-lost\\.ts|lasting-client\\.ts|shared-connection\\.ts)',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        pathNot:
          '^client/(http/|client\\.ts|all-pages\\.ts|connection-lost\\.ts|lasting-client\\.ts|shared-connection\\.ts)|^core/|^home/(contexts/|home\\.ts)|^app/method-(names|places)\\.generated\\.ts|^(node:)?(crypto|fs|http|https|os|path|timers)',
        dependencyTypesNot: ['type-only'],
      },
    },
    only(
      'app-knows',
      '^app/',
      '^(app|core|definition|settings|home|secrets|stores|encryption)/|^workflows/|^(providers|taskservs)/registry',
      'what can be asked of the platform, the same through every door',
    ),
    only(
      'authoring-knows',
      `^authoring/(?!${opensStores})`,
      '^(authoring|client|core|definition|settings|home|sops)/|^app/schemas/|^(providers|taskservs)/registry|^stores/secrets\\.ts$',
      'work on the files of a user, on the left of the wire: no stores, no keys. Of stores it knows how secrets are named',
    ),
    only(
      'authoring-of-keys-knows',
      `^authoring/${opensStores}`,
      `^(authoring|core|settings|home)/|^${state}|^stores/open-stores`,
      'opens the keys of an infra in the process of the asker; no file may be added',
    ),
    {
      name: 'stores-are-opened-by-the-worker',
      comment:
        'commands call methods; client/without-worker.ts has the exceptions, with their reasons. The files named here are listed in docs/reference/commands-and-methods.md',
      severity: 'error',
      from: { path: '^cli/', pathNot: '\\.test\\.ts$|^cli/(fake-secrets|commands/(ui|encryption/(rotate|rewrap)))\\.ts$' },
      to: { path: '^stores/(open-|files/|postgres/)' },
    },
    only(
      'members-know',
      '^members/',
      '^(members|core|home|settings|encryption|stores)/|^definition/source/|^authoring/context',
      'an administrator with all keys adds and removes people',
    ),
    only('upstream-knows', '^upstream/', '^(upstream|core|home)/', 'a client for the versions that vendors publish'),
    only(
      'cli-knows',
      '^cli/',
      '^(cli|app|authoring|members|upstream|client|core|definition|settings|home|secrets|sops|encryption|stores|temporal-ui)/|^(providers|taskservs)/registry',
      'a front door',
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.d\\.ts$' },
  },
};
