import { templatesAt } from '../../authoring/definition/templates.js';
import { registriesFor } from '../../authoring/modules/registries.js';
import { inventories } from '../../authoring/request/which-infra.js';
import { askSecrets } from '../../client/ask-secrets.js';
import { listContexts, THIS_MACHINE } from '../../home/contexts/contexts.js';
import { allRegistered } from '../../home/workspaces/registry.js';
import type { Session } from '../program/session.js';
import { loadKnownTaskservs } from '../program/taskserv-help.js';
import type { ValueKind } from './kinds.js';

/** Candidate with its description, if known. */
export interface Candidate {
  value: string;
  about?: string;
}

/** Maximum number of operations and batches, newest first. */
const NEWEST = 50;

/**
 * Returns the values of a kind. Names come from the engine and from files, so printers must treat them as data.
 *
 * @param infra limits servers to this infra; default: all infras
 */
export async function completeValues(kind: ValueKind, session: Session, infra?: string): Promise<Candidate[]> {
  if (kind === 'context') return named([...listContexts(session.home), THIS_MACHINE]);
  if (kind === 'workspace') return named(allRegistered(session.home).map(({ name }) => name));
  const { workspace } = session;
  switch (kind) {
    case 'infra':
      return named((await (await session.client()).infras.list({ workspace })).sort());
    case 'template':
      return templatesOf(session);
    case 'cluster':
      return [...(await completeValues('infra', session).catch(() => [])), ...(await templatesOf(session))];
    case 'server':
      return named((await inventories(session, infra)).flatMap(({ servers }) => Object.keys(servers)).sort());
    case 'operation':
      return operationsOf(session);
    case 'log':
      return [{ value: 'engine' }, { value: 'worker' }, ...(await operationsOf(session).catch(() => []))];
    case 'batch': {
      const batches = await (await session.client()).batches.list({ workspace, limit: NEWEST });
      return named(batches.map(({ batch }) => batch));
    }
    case 'secret':
      return named((await askSecrets(session, (secrets) => secrets.list({ workspace }))).map(({ name }) => name));
    case 'taskserv':
      return [...described(await loadKnownTaskservs()), ...named([...(await registriesFor(session)).own.keys()])];
    case 'provider':
      return described((await import('../../providers/registry.generated.js')).providers);
    case 'shell':
      return named(['bash', 'fish', 'zsh']);
    default:
      return [];
  }
}

async function operationsOf(session: Session): Promise<Candidate[]> {
  const client = await session.client();
  return named((await client.operations.list({ workspace: session.workspace, limit: NEWEST })).map(({ operation }) => operation));
}

const templatesOf = async (session: Session): Promise<Candidate[]> =>
  (await templatesAt(session.folder ?? session.cwd)).map(({ name, description }) => ({ value: name, about: description }));

const named = (names: readonly string[]): Candidate[] => [...new Set(names)].map((value) => ({ value }));

const described = (registry: Readonly<Record<string, { name: string; description: string }>>): Candidate[] =>
  Object.values(registry).map(({ name, description }) => ({ value: name, about: description }));
