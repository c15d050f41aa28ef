import { mapAtOnce } from '../core/at-once.js';
import { ProvisioningError, TRANSIENT } from '../core/errors.js';
import { versionsIn } from '../core/schema/versions/versions-file.js';
import { newestFirst } from '../core/versions/newest-first.js';
import type { HeldByArchive } from './archives.js';
import type { Web } from './asking/web.js';
import { aptListsBy } from './datasources/apt-lists.js';
import { listHeldByArchives } from './datasources/debian.js';
import type { KeptAnswer, KeptAnswers } from './kept-answers.js';
import { type ListedService, lookUpstream, packagesOf, sourceText } from './look-upstream.js';
import { listGoneVersions, type NewerVersions, newerVersions } from './newer-versions.js';
import { busy } from './upstream-errors.js';

/** Number of services that are queried at a time. */
const AT_ONCE = 4;

/** Stored answer of a source that never answered. */
const NEVER: KeptAnswer = { at: new Date(0).toISOString(), parts: [] };

/** Available versions of a service, compared with the versions that this build supports. */
export interface UpstreamVersions {
  service: string;
  /** Source of the versions. */
  source: string;
  supported: string[];
  /** Released versions that are newer; absent if the source could not be queried. */
  newer?: NewerVersions;
  /** Versions in the archive of each supported Debian release, if the service comes from there. `newer` omits them. */
  archives?: HeldByArchive[];
  /** Supported versions that are no longer listed. */
  gone: string[];
  /** Versions that are no longer supported, with the reason. */
  withdrawn: { version: string; why: string }[];
  /** Supported versions that their vendor no longer maintains, with the last day. */
  ended: { version: string; endOfLife: string }[];
  /** Time of the query, ISO time; absent without a query. */
  at?: string;
  /** Age of a stored answer, in milliseconds; absent for an answer of this call. */
  ageMs?: number;
  /** Notes for the reader of the answer. */
  remarks: string[];
  /** Source that could not be queried, with the reason. If `newer` is present too, the answer is a stored one. */
  failure?: { code: string; why: string; hint?: string };
}

const NONE: NewerVersions = { patch: [], minor: [], major: [] };

/** Access to the sources and to their stored answers. */
export interface UpstreamAccess {
  web: Web;
  kept: KeptAnswers;
  /** How long an answer is valid, and how much longer it is used if the source cannot be reached; milliseconds. */
  goodMs: number;
  graceMs: number;
  /** Further inputs of an answer: it is valid only for these mirrors. */
  by: unknown;
  /** Queries the source even if there is a valid answer. */
  refresh?: boolean;
  /** Milliseconds since 1970. Default: now. */
  now?(): number;
  /** Receives each finished service, with the number of finished services and their total. */
  done?(service: string, count: number, of: number): void;
}

/** Queries the versions of services, several at a time. A failure is reported in the entry of its service. */
export async function upstreamVersions(services: readonly ListedService[], asking: UpstreamAccess): Promise<UpstreamVersions[]> {
  // Debian lists seventy thousand packages: only the wanted packages of each list are kept.
  const lists = aptListsBy(asking.web, asking.now, new Set(services.flatMap(packagesOf)));
  let count = 0;
  return mapAtOnce(services, AT_ONCE, async (service) => {
    const found = await versionsOf(service, asking, lists);
    count += 1;
    asking.done?.(service.name, count, services.length);
    return found;
  });
}

type Lists = ReturnType<typeof aptListsBy>;

async function versionsOf(service: ListedService, asking: UpstreamAccess, lists: Lists): Promise<UpstreamVersions> {
  const now = (asking.now ?? Date.now)();
  const { archives, supported } = service;
  const asked = { upstream: service.file.upstream, supported, by: asking.by, ...(archives && { archives }) };
  const kept = await asking.kept.read(service.name, asked);
  // A clock that was set back does not extend the validity of an answer.
  const age = kept ? now - Date.parse(kept.at) : -1;
  if (kept && kept.parts.length > 0 && !asking.refresh && age >= 0 && age < asking.goodMs) return told(service, kept, now, age);
  try {
    if (kept?.notBefore !== undefined && !asking.refresh && Date.parse(kept.notBefore) > now)
      throw busy(sourceText(service), Date.parse(kept.notBefore) - now, new Date(kept.notBefore));
    const parts = await lookUpstream(service, {
      web: asking.web,
      lists,
      kept: asking.refresh ? [] : (kept?.parts ?? []),
      supported,
    });
    const answer: KeptAnswer = { at: new Date(now).toISOString(), parts };
    await asking.kept.write(service.name, asked, answer).catch(() => {});
    return told(service, answer, now);
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.blame === 'bug') throw error;
    const { code, on, why, hint, retryAfterMs, blame } = error.details;
    const failure = { code, why: on === undefined ? why : `${on}: ${why}`, ...(hint !== undefined && { hint }) };
    if (retryAfterMs !== undefined) {
      const notBefore = new Date(now + retryAfterMs).toISOString();
      await asking.kept.write(service.name, asked, { ...(kept ?? NEVER), notBefore }).catch(() => {});
    }
    // A stored answer does not replace an answer that is not genuine.
    const isGood = kept && kept.parts.length > 0 && blame === TRANSIENT && age >= 0 && age < asking.goodMs + asking.graceMs;
    return isGood ? { ...told(service, kept, now, age), failure } : { ...untold(service, now), failure };
  }
}

/** Returns what is known without a query. */
function untold({ name: service, file, supported, archives }: ListedService, now: number): UpstreamVersions {
  const today = new Date(now).toISOString().slice(0, 10);
  const all = versionsIn(file);
  return {
    service,
    source: sourceText({ file, ...(archives && { archives }) }),
    supported: [...supported].sort(newestFirst),
    gone: [],
    withdrawn: all.flatMap(([version, { withdrawn: why }]) => (why === undefined ? [] : [{ version, why }])),
    ended: all.flatMap(([version, { endOfLife, withdrawn }]) =>
      endOfLife !== undefined && withdrawn === undefined && endOfLife < today ? [{ version, endOfLife }] : [],
    ),
    remarks: [],
  };
}

function told(service: ListedService, { at, parts }: KeptAnswer, now: number, ageMs?: number): UpstreamVersions {
  const known = untold(service, now);
  const withdrawn = new Set(known.withdrawn.map(({ version }) => version));
  const listed = [...new Set(parts.flatMap(({ versions }) => versions.map(({ version }) => version)))];
  const usable = listed.filter((version) => !withdrawn.has(version));
  // The archive of a release stays within its series: its version is never newer, and is reported separately.
  const compared = service.archives
    ? { newer: NONE, archives: listHeldByArchives(service.archives, parts) }
    : { newer: newerVersions(usable, known.supported) };
  return {
    ...known,
    ...compared,
    gone: !service.archives && parts.every(({ complete }) => complete) ? listGoneVersions(listed, known.supported) : [],
    at,
    ...(ageMs !== undefined && { ageMs }),
    remarks: [...new Set(parts.flatMap(({ remark }) => remark ?? []))],
  };
}
