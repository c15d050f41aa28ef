import { inputError } from '../../core/errors.js';
import { isSecretRef } from '../../core/taskserv/secret.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import { markId, translateWorkspace } from '../../core/tenant-names.js';
import type { AnyMethod, Passage } from '../method.js';
import type { Principal } from '../principal.js';
import { METHODS_FOR_TENANTS, METHODS_OF_ACCOUNTS } from './methods-for-tenants.js';
import { findNameFields, type NameRole } from './name-fields.js';

/** A caller of a tenant. */
interface Member extends Pick<Principal, 'providers'> {
  tenant: string;
}

/**
 * Translates the names in a tenant's call to the names inside the platform, and refuses features that tenants cannot
 * use yet. Calls of the home, and of principals without a tenant, pass unchanged.
 *
 * @throws inputError `not-for-tenants`
 */
export const enterTenant = (passage: Passage): void => {
  const { principal } = passage.caller;
  if (!principal.tenant) return;
  passage.input = translateInput(passage.method, { ...principal, tenant: principal.tenant }, passage.input);
};

/** @throws inputError `not-for-tenants` */
export function translateInput(method: AnyMethod, member: Member, input: unknown): unknown {
  const { name } = method;
  if (!METHODS_FOR_TENANTS.has(name)) throw refuse(name, 'it works with what the whole platform shares');
  refuseFields(name, (input ?? {}) as Asked);
  if (METHODS_OF_ACCOUNTS.has(name)) return input;
  return findNameFields(method).reduce((value, { path, role }) => change(value, path, roles[role](member, name)), input);
}

interface Asked {
  shared?: unknown;
  tenant?: unknown;
  clouds?: unknown;
  request?: { bundle?: unknown };
}

function refuseFields(name: string, { shared, tenant, clouds, request }: Asked): void {
  if (shared) throw refuse(name, 'secrets that all workspaces share belong to the home', 'set the secret for the workspace');
  if (tenant !== undefined) throw refuse(name, 'only an administrator of the platform names a tenant', 'leave out `tenant`');
  if (request?.bundle !== undefined) throw refuse(name, 'a tenant cannot keep source files yet', 'leave out `bundle`');
  if (name === 'infras.status' && clouds !== false)
    throw refuse(name, 'the answer of a provider can have resources of others', 'ask with `clouds: false`');
}

type Change = (value: unknown) => unknown;

const roles: Readonly<Record<NameRole, (member: Member, method: string) => Change>> = {
  workspace: ({ tenant }) => onText((text) => translateWorkspace(tenant, text)),
  id: ({ tenant }) => onText((text) => markId(tenant, text)),
  secret: ({ tenant }) => onText((text) => translateSecret(tenant, text)),
  definition: (member, method) => (value) => {
    checkDefinition(member, method, value);
    return translateReferences(member.tenant, value);
  },
};

const onText =
  (make: (text: string) => string): Change =>
  (value) =>
    typeof value === 'string' ? make(value) : value;

/** Only the names of generated secrets have a workspace: `generated/default/shop/…`. */
function translateSecret(tenant: string, name: string): string {
  if (!isGenerated(name)) return name;
  const [generated, workspace = '', ...rest] = name.split('/');
  return [generated, translateWorkspace(tenant, workspace), ...rest].join('/');
}

/** The references to secrets in a definition, which are in configurations of any form, and in its outputs. */
function translateReferences(tenant: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => translateReferences(tenant, item));
  if (typeof value !== 'object' || value === null) return value;
  if (isSecretRef(value)) return { ...value, $secret: translateSecret(tenant, value.$secret) };
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => [
    key,
    key === 'outputs' ? translateOutputs(tenant, one) : translateReferences(tenant, one),
  ]);
  return Object.fromEntries(entries);
}

/**
 * Translates the names of secrets that outputs have. A configuration may also have a key of this name, with values of
 * other forms.
 */
function translateOutputs(tenant: string, outputs: unknown): unknown {
  const isMap = typeof outputs === 'object' && outputs !== null && !Array.isArray(outputs);
  if (!isMap || isSecretRef(outputs)) return translateReferences(tenant, outputs);
  const entries = Object.entries(outputs).map(([key, one]): [string, unknown] => {
    const { secret } = (one ?? {}) as { secret?: unknown };
    return [
      key,
      typeof secret === 'string' ? { ...one, secret: translateSecret(tenant, secret) } : translateReferences(tenant, one),
    ];
  });
  return Object.fromEntries(entries);
}

interface AskedServer {
  name?: unknown;
  host?: unknown;
  provider?: unknown;
  taskservs?: { module?: unknown; mirrors?: unknown }[];
}

function checkDefinition({ providers = [] }: Member, method: string, definition: unknown): void {
  const { servers } = (definition ?? {}) as { servers?: unknown };
  if (!Array.isArray(servers)) return;
  for (const server of servers as AskedServer[]) {
    const on = String(server?.name);
    if (server?.host !== undefined) throw refuse(method, `the server "${on}" is a machine that is there already`);
    if (server?.taskservs?.some(({ module }) => module !== undefined))
      throw refuse(method, `the server "${on}" has a taskserv of a workspace, whose code may be another tenant's`);
    if (server?.taskservs?.some(({ mirrors }) => mirrors !== undefined))
      throw refuse(method, `the server "${on}" has mirrors, which the worker would ask`);
    if (typeof server?.provider !== 'string' || providers.includes(server.provider)) continue;
    const why = `the server "${on}" uses the account "${server.provider}", which your tenant was not given`;
    throw refuse(method, why, providers.length > 0 ? `use ${providers.join(' or ')}` : 'ask the administrator of the platform');
  }
}

/** The value with another one at a path; lists and maps on the way are copied, and their keys keep their order. */
function change(value: unknown, [key, ...rest]: readonly string[], make: Change): unknown {
  if (key === undefined) return make(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return key === '*' ? value.map((item) => change(item, rest, make)) : value;
  const entries = Object.entries(value);
  if (key !== '*' && !Object.hasOwn(value, key)) return value;
  return Object.fromEntries(entries.map(([name, one]) => [name, key === '*' || key === name ? change(one, rest, make) : one]));
}

const refuse = (on: string, why: string, hint?: string) =>
  inputError({ code: 'not-for-tenants', what: 'answer an account of a tenant', on, why, ...(hint && { hint }) });
