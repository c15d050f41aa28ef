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

/** Services that are asked for at a time. */
const AT_ONCE = 4;

/** What is kept of a source that never answered. */
const NEVER: KeptAnswer = { at: new Date(0).toISOString(), parts: [] };

/** What is known of the versions of a service, beyond those that this build supports. */
export interface UpstreamVersions {
  service: string;
  /** Who lists them. */
  source: string;
  supported: string[];
  /** Released versions that are newer than those; absent where nobody could be asked. */
  newer?: NewerVersions;
  /** What the archive of each supported release of Debian holds, where the service comes from there; `newer` has none of it. */
  archives?: HeldByArchive[];
  /** Supported versions that are not listed any more. */
  gone: string[];
  /** Versions that are not supported any more, and why. */
  withdrawn: { version: string; why: string }[];
  /** Supported versions that their vendor does not look after any more, since this day. */
  ended: { version: string; endOfLife: string }[];
  /** When it was asked, ISO time; absent where it was not. */
  at?: string;
  /** How old the answer is, in milliseconds; absent for one of this call. */
  ageMs?: number;
  /** What somebody who reads the answer has to know. */
  remarks: string[];
  /** Why it could not be asked, and who. Beside `newer`, the answer is a kept one. */
  failure?: { code: string; why: string; hint?: string };
}

const NONE: NewerVersions = { patch: [], minor: [], major: [] };

/** How sources are asked, and what is kept of their answers. */
export interface UpstreamAccess {
  web: Web;
  kept: KeptAnswers;
  /** How long an answer is good, and how long it is used beyond that where the source cannot be reached; milliseconds. */
  goodMs: number;
  graceMs: number;
  /** What decides about answers besides the sources: an answer is good for these mirrors alone. */
  by: unknown;
  /** Asks even where there is a good answer. */
  refresh?: boolean;
  /** Milliseconds since 1970. Default: now. */
  now?(): number;
  /** Is told of each service that is done, of how many. */
  done?(service: string, count: number, of: number): void;
}

/** Asks for services which versions there are, several at a time. What fails is told in its place. */
export async function upstreamVersions(services: readonly ListedService[], asking: UpstreamAccess): Promise<UpstreamVersions[]> {
  // Debian lists seventy thousand packages: of each list only what is looked for is kept.
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
  // A clock that was set back makes no answer good for longer.
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
    // What answers with something false is not made up for by what it said before.
    const isGood = kept && kept.parts.length > 0 && blame === TRANSIENT && age >= 0 && age < asking.goodMs + asking.graceMs;
    return isGood ? { ...told(service, kept, now, age), failure } : { ...untold(service, now), failure };
  }
}

/** What is known without asking. */
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
  // The archive of a release stays with its series: another one there is no newer version, and is told by itself.
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
