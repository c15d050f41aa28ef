import { type Fact, factKey } from '../../core/host/facts.js';
import type { Answer, Question } from '../../core/host/question.js';
import type { FoundRecords } from '../../core/host/zone-records.js';
import type { CallContext } from '../../core/machine/call-context.js';
import type { Connection } from '../../core/machine/provider.js';
import type { RecordSet } from '../../core/machine/zones.js';
import type { HealthCheck } from '../../core/taskserv/taskserv.js';
import type { ConnectionOf } from '../machine/provider-connections.js';
import { findZoneVerbs, listMarkedNames, readFoundName } from './records-of.js';
import { serverAddress } from './server-address.js';

type RecordsFact = Extract<Fact<FoundRecords>, { kind: 'records' }>;

/** The server that names lead to; without a connection it does not exist yet. */
export interface NamedServer {
  server: string;
  connection?: Connection;
}

/** Whether a question is about records of a zone, which the worker answers, and not about a host. */
export const isOfRecords = ({ facts }: Question): boolean => Object.values(facts).some(({ kind }) => kind === 'records');

/** Answers questions about records, each zone looked at once. */
export async function lookAtRecords(
  questions: readonly Question[],
  server: NamedServer,
  connectionOf: ConnectionOf,
  context: CallContext,
): Promise<Answer[]> {
  const zones = new Map<string, Promise<RecordSet[]>>();
  const listed = ({ provider, zone }: RecordsFact['at']): Promise<RecordSet[]> => {
    const key = `${provider} ${zone}`;
    const known = zones.get(key) ?? findZoneVerbs(connectionOf, provider).then((verbs) => verbs.list(zone, context));
    zones.set(key, known);
    return known;
  };
  return Promise.all(
    questions.map(async ({ facts, health }): Promise<Answer> => {
      const entries = await Promise.all(
        Object.entries(facts).map(async ([name, fact]) => [name, foundIn(await listed(recordsFact(fact).at), recordsFact(fact))]),
      );
      const found = Object.fromEntries(entries) as Record<string, FoundRecords>;
      const why = whyUnwell(health?.checks ?? [], Object.values(found));
      return {
        found,
        ...(why !== undefined && { why }),
        toDo: (planned) => planned,
        toRemove: (planned) => planned,
        installed: (read) => read(found),
      };
    }),
  );

  function foundIn(all: readonly RecordSet[], { at: { owner }, names }: RecordsFact): FoundRecords {
    const known = [...new Set([...names, ...listMarkedNames(all, owner)])];
    return {
      server: server.server,
      ...(server.connection && serverAddress(server.connection)),
      names: known.map((name) => readFoundName(all, owner, name)),
    };
  }
}

function recordsFact(fact: Fact<unknown>): RecordsFact {
  if (fact.kind === 'records') return fact as RecordsFact;
  throw new Error(`a unit that needs records must not query its host: ${factKey(fact)}`);
}

function whyUnwell(checks: readonly HealthCheck[], found: readonly FoundRecords[]): string | undefined {
  for (const check of checks) {
    for (const { name, addresses } of 'records' in check ? check.records : []) {
      const there = found.flatMap(({ names }) => names).find((one) => one.name === name);
      if (!there || there.server === undefined || there.addresses.length === 0)
        return `${check.title}: ${name} has no records of ours`;
      const wanted = addresses ?? found.flatMap(({ address }) => address ?? []);
      if (wanted.length > 0 && [...wanted].sort().join() !== there.addresses.join())
        return `${check.title}: ${name} leads to ${there.addresses.join(', ')}`;
    }
  }
  return undefined;
}
