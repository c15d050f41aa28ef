import { ALLOW_THIS_HOST } from '../../core/definition/this-host.js';
import { API_KEYS } from './product/api-keys.js';
import { COMMAND_KEYS } from './product/command-keys.js';
import { DEFINITION_KEYS } from './product/definition-keys.js';
import { OPERATION_KEYS } from './product/operation-keys.js';
import { PROVIDER_KEYS } from './product/provider-keys.js';
import { WORKER_KEYS } from './product/worker-keys.js';
import { buildRegistry, type Key } from './registry.js';
import { SERVICE_FIELDS } from './service-fields.generated.js';

const PORT = { kind: 'number', min: 1, max: 65_535 } as const;
const TEXT = { kind: 'text' } as const;

/** Settings of the product itself. Each has an effect: `keys.test.ts` changes the value of each. */
const KEYS: readonly Key[] = [
  {
    name: 'engine.profile',
    type: TEXT,
    description: "Profile of Temporal's configuration file that selects the Temporal service.",
    otherwise: 'an engine of the home',
    scope: 'engine',
    alias: 'TEMPORAL_PROFILE',
    former: 'profile',
  },
  {
    name: 'engine.namespace',
    type: TEXT,
    description: 'Temporal namespace.',
    otherwise: "the profile's, else provisioning",
    scope: 'engine',
    alias: 'PROVISIONING_NAMESPACE',
    former: 'namespace',
  },
  {
    name: 'engine.taskQueue',
    type: TEXT,
    description: 'Task queue of workflows and activities.',
    otherwise: "one of the home's own, or of the store",
    scope: 'engine',
    alias: 'PROVISIONING_TASK_QUEUE',
    former: 'taskQueue',
  },
  {
    name: 'engine.deployment',
    type: TEXT,
    description: 'Name of the worker deployment, which enables worker versions.',
    otherwise: 'workers have no versions',
    scope: 'engine',
    alias: 'PROVISIONING_DEPLOYMENT',
    former: 'deployment',
  },
  {
    name: 'engine.port',
    type: PORT,
    description: "Port of the home's own engine.",
    otherwise: 'a free one, kept from then on',
    scope: 'engine',
    alias: 'PROVISIONING_PORT',
  },
  {
    name: 'engine.binary',
    type: { kind: 'choice', choices: ['built', 'path'] },
    description: 'Preferred engine: only the engine with mutual TLS, or a `temporal` on PATH first.',
    otherwise: 'the one with mutual TLS if it can be had',
    scope: 'engine',
    alias: 'PROVISIONING_ENGINE',
  },
  {
    name: 'engine.sha256',
    type: TEXT,
    description: 'SHA-256 of the Temporal CLI archive that may be downloaded.',
    otherwise: 'nothing is downloaded',
    scope: 'engine',
    alias: 'PROVISIONING_ENGINE_SHA256',
  },
  {
    name: 'store.url',
    type: TEXT,
    description: "Address of a team's store, postgres://…",
    otherwise: 'files of the home',
    scope: 'engine',
    alias: 'PROVISIONING_STORE',
    former: 'store',
    sensitive: true,
  },
  {
    name: 'store.passwordFile',
    type: TEXT,
    description: 'File with the password of the store.',
    otherwise: 'the password is in store.url, or there is none',
    scope: 'engine',
    former: 'storePasswordFile',
  },
  {
    name: 'encryption.kms',
    type: { kind: 'choice', choices: ['local', 'age', 'aws-kms', 'vault', 'command'] },
    description: 'Key service that wraps the encryption keys of the home.',
    otherwise: 'local, or the command of encryption.keyCommand',
    scope: 'engine',
  },
  {
    name: 'encryption.kmsKey',
    type: TEXT,
    description: 'Key in the key service: MOUNT/NAME of transit, an id or alias of AWS KMS, age recipients.',
    otherwise: 'there is none to name',
    scope: 'engine',
  },
  {
    name: 'encryption.kmsAddress',
    type: TEXT,
    description: 'Address of Vault or OpenBao, or another endpoint of AWS KMS.',
    otherwise: "VAULT_ADDR, or AWS's own",
    scope: 'engine',
  },
  {
    name: 'encryption.kmsFile',
    type: TEXT,
    description: 'File with the age identity, or with the token of Vault.',
    otherwise: 'VAULT_TOKEN',
    scope: 'engine',
  },
  {
    name: 'encryption.kmsCa',
    type: TEXT,
    description: 'File with the certificate authority of Vault.',
    otherwise: "VAULT_CACERT, or the machine's own",
    scope: 'engine',
  },
  {
    name: 'encryption.keyCommand',
    type: TEXT,
    description: 'Command that wraps and unwraps keys, for the key service `command`.',
    otherwise: 'there is none',
    scope: 'engine',
    alias: 'PROVISIONING_KEY_COMMAND',
  },
  {
    name: 'ui.url',
    type: TEXT,
    description: 'Web UI address of a configured Temporal service.',
    otherwise: 'none is shown',
    scope: 'engine',
    former: 'ui',
  },
  {
    name: 'ui.port',
    type: PORT,
    description: "Port of the Web UI, if the engine is Temporal's own CLI.",
    otherwise: 'a free one, kept from then on',
    scope: 'engine',
  },
  {
    name: 'worker.allowThisHost',
    type: { kind: 'switch' },
    description: 'Whether definitions may use the machine of the worker (host: this).',
    default: false,
    scope: 'engine',
    alias: ALLOW_THIS_HOST,
    former: 'allowThisHost',
  },
  {
    name: 'worker.limits',
    type: { kind: 'rates' },
    description: 'Maximum rate of calls to a provider, an account, or all hosts.',
    unit: 'activities a second',
    otherwise: 'as each provider says',
    scope: 'engine',
    alias: 'PROVISIONING_LIMITS',
  },
  {
    name: 'operation.onFailure',
    type: { kind: 'choice', choices: ['rollback', 'rollback-service', 'keep', 'ask'] },
    description: 'Policy of an operation after a failure, like --on-failure.',
    otherwise: 'what the definition says, else rollback',
    scope: 'client',
  },
  {
    name: 'operation.onTimeout',
    type: { kind: 'choice', choices: ['ask', 'keep', 'rollback'] },
    description: 'Policy of an operation after a time-out, like --on-timeout.',
    otherwise: 'what the definition says, else ask',
    scope: 'client',
  },
  {
    name: 'operation.priority',
    type: { kind: 'number', min: 1, max: 5 },
    description: 'Priority of an operation in the queue, from 1 (highest) to 5.',
    otherwise: '3',
    scope: 'client',
  },
  {
    name: 'output.color',
    type: { kind: 'choice', choices: ['auto', 'always', 'never'] },
    description: 'Colours: on a terminal unless NO_COLOR is set, always, or never.',
    default: 'auto',
    scope: 'client',
  },
  ...DEFINITION_KEYS,
  ...OPERATION_KEYS,
  ...WORKER_KEYS,
  ...API_KEYS,
  ...PROVIDER_KEYS,
  ...COMMAND_KEYS,
];

/** All settings: those of the product, and the fields of all taskservs. */
export const REGISTRY = buildRegistry([...KEYS, ...SERVICE_FIELDS]);
