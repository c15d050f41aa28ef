import { accountIn } from '../core/machine/account.js';
import { definitionFile } from '../core/schema/definition.js';
import { isRecord } from './source/salvage.js';

/** The names of taskservs and providers in what may be a definition, known or not: those whose modules judge it. */
export function findNamed(value: unknown): { taskservs: Set<string>; providers: Set<string> } {
  const file = isRecord(value) ? value : {};
  const servers = listOf(file.servers).filter(isRecord);
  const taskservs = [file, ...servers]
    .flatMap((holder) => listOf(holder.taskservs))
    .map((entry) => (isRecord(entry) ? entry.name : entry));
  // A domain stands for these.
  if (isRecord(file.domains)) taskservs.push('dns-records', 'cloud-dns', 'acme');
  const zones = Object.values(isRecord(file.domains) ? file.domains : {}).map((zone) => (isRecord(zone) ? zone.dns : undefined));
  const holders = [file, ...servers, ...zones.filter(isRecord)];
  const providers = [definitionFile.shape.provider.parse(undefined), ...holders.map(({ provider }) => provider)];
  return { taskservs: textsOf(taskservs), providers: new Set([...textsOf(providers)].map((name) => accountIn(name).provider)) };
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textsOf = (values: readonly unknown[]): Set<string> => new Set(values.filter((value) => typeof value === 'string'));
