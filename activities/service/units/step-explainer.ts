import { createHash } from 'node:crypto';
import { structuredPatch } from 'diff';
import { canonical } from '../../../core/encoding/hash.js';
import { type Fact, type Facts, FoundFile, type FoundPackage, type FoundService } from '../../../core/host/facts.js';
import type { RestoreAction, Step, WantedFile } from '../../../core/host/step.js';
import type { Change, FileDiff, StepChange, StepEffect } from '../../../core/host/step-change.js';
import type { AnyUnit } from '../../../core/host/unit.js';
import { actionOf } from '../../../core/plan/plan-lines.js';
import { plainLines } from './removed-lines.js';
import { readReplaced } from './replaced.js';

/** Lines of a file that a preview shows at most, and characters of each. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 240;

/** Milliseconds that the difference between two contents may take; what differs in all has no use for one. */
const DIFF_MS = 500;

/** Undo commands of steps that only check: they change nothing that lasts. */
const CHECKS = new Set([':', 'true']);

type FoundHere = Record<string, unknown>;

/**
 * Describes the effect of a step on the observed state.
 *
 * @param lines also changes in files, line by line
 * @param digests also the identity of the step
 * @param hide masks secrets in lines before they are shortened
 */
export function stepExplainer({
  lines = false,
  digests = false,
  hide = String as (text: string) => string,
}): (step: Step, unit: AnyUnit, found: FoundHere) => StepChange {
  return (step, { facts, explain }, found) => {
    const own = explain?.(step, found);
    const change = own?.change ?? changeOf(step, facts, found);
    const does = digests && { does: sha256(canonical(actionOf(step))) };
    if (own) return { change, ...does, ...effectOf(own, lines, hide) };
    const known = 'file' in step ? fileFound(step.file.path, facts, found) : undefined;
    const isKept = (path: string) => readReplaced(found)?.kept.has(path);
    if ('absent' in step && isKept(step.absent.path)) return { change, ...does, attributes: [KEPT] };
    if (!('file' in step) || !known) return { change, ...does };
    const attributes = [...attributesOf(known, step.file), ...(isKept(known.path) ? [KEPT] : [])];
    const isPublished = readReplaced(found)?.published.has(known.path);
    const diff = lines ? diffOf(known, step.file, { hide, isPublished }) : undefined;
    const before = known.exists && { found: digestOf(known, step.file) };
    return { change, ...does, ...(attributes.length > 0 && { attributes }), ...before, ...(diff && { diff }) };
  };
}

/** What a taskserv says about its step. The digest of it makes a plan valid only for this effect. */
function effectOf({ attributes = [], diff }: StepEffect, lines: boolean, hide: (text: string) => string): Partial<StepChange> {
  const shown = lines && diff && { ...diff, lines: diff.lines.map(hide).map(clipLine) };
  return {
    ...(attributes.length > 0 && { attributes: attributes.map(hide).map(clipLine) }),
    ...(diff && { found: sha256(canonical(diff)) }),
    ...(shown && diff.lines.length > 0 && { diff: shown }),
  };
}

const clipLine = (line: string): string => (line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line);

/** Note on an adopted host about a former file. */
const KEPT = 'a copy of the former file is kept';

function changeOf(step: Step, facts: Facts, found: FoundHere): Change {
  if ('run' in step) return step.undo !== undefined && CHECKS.has(step.undo.trim()) ? 'check' : 'change';
  if ('absent' in step) return 'remove';
  if ('directory' in step) return 'add';
  if ('file' in step) return fileFound(step.file.path, facts, found)?.exists ? 'change' : 'add';
  if ('package' in step) {
    if (step.package.state === 'absent') return 'remove';
    return named<FoundPackage>('package', step.package.name, facts, found)?.version === undefined ? 'add' : 'change';
  }
  if ('artifact' in step) return step.artifact.state === 'absent' ? 'remove' : 'add';
  if ('records' in step) return step.records.to === undefined ? 'remove' : step.records.from === undefined ? 'add' : 'change';
  if ('restore' in step) return restoreChange(step.restore);
  if (!('service' in step)) return 'change';
  const service = named<FoundService>('service', step.service.name, facts, found);
  if (step.service.state === 'stopped') return service?.active === false ? 'remove' : 'interrupt';
  return service?.active ? 'restart' : 'add';
}

function restoreChange(restore: RestoreAction): Change {
  if (restore.what === 'unit') return 'restart';
  if (restore.what === 'packages') return restore.remove.length > 0 ? 'remove' : 'add';
  return restore.was === 'there' ? 'change' : 'remove';
}

function named<T>(kind: 'package' | 'service', name: string, facts: Facts, found: FoundHere): T | undefined {
  return of((fact) => fact.kind === kind && fact.name === name, facts, found) as T | undefined;
}

function fileFound(path: string, facts: Facts, found: FoundHere): FoundFile | undefined {
  // By where it was found: what is asked for below an account's home has another path there.
  return Object.keys(facts)
    .map((name) => found[name])
    .find((known): known is FoundFile => known instanceof FoundFile && known.path === path);
}

function of(is: (fact: Fact<unknown>) => boolean, facts: Facts, found: FoundHere): unknown {
  const key = Object.keys(facts).find((name) => is(facts[name] as Fact<unknown>));
  return key === undefined ? undefined : found[key];
}

function attributesOf(found: FoundFile, { mode = '0644', owner = 'root:root' }: WantedFile): string[] {
  if (!found.exists) return [];
  return [
    ...(found.mode === mode ? [] : [`mode ${found.mode} becomes ${mode}`]),
    ...(found.owner === owner ? [] : [`owner ${found.owner} becomes ${owner}`]),
  ];
}

/**
 * Identifies the content of a file, so a plan is valid only for that content. In a file that may have secrets, only
 * the lines that stay count: a digest of a former password would allow guessing it.
 */
function digestOf(found: FoundFile, { content }: WantedFile): string {
  const { before, after, holdsSecrets } = found.shown(content);
  if (!isHidden(found, holdsSecrets)) return sha256(before);
  const stays = new Set(after.split('\n'));
  return sha256(
    before
      .split('\n')
      .map((line) => (stays.has(line) ? line : ''))
      .join('\n'),
  );
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Undefined where the contents are the same, or no text. */
function diffOf(
  found: FoundFile,
  { content, base64 }: WantedFile,
  { hide, isPublished }: { hide: (text: string) => string; isPublished?: boolean },
): FileDiff | undefined {
  if (base64) return undefined;
  const { before, after, holdsSecrets } = found.shown(content);
  if (before === after || before.includes('\0')) return undefined;
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, timeout: DIFF_MS });
  const all = patch ? patch.hunks.flatMap(({ oldStart, newStart, lines }) => [`@@ -${oldStart} +${newStart} @@`, ...lines]) : [];
  const mayHide = !isPublished && isHidden(found, holdsSecrets);
  const { shown, hidden } = mayHide ? withoutHidden(all, plainLines(after)) : { shown: all, hidden: 0 };
  const count = (sign: string) => all.filter((line) => line.startsWith(sign)).length;
  const lines = shown.slice(0, MOST_LINES).map(hide).map(clipLine);
  const more = shown.length - lines.length;
  return {
    ...{ lines, added: count('+'), removed: count('-') },
    ...(more > 0 && { more }),
    ...(hidden > 0 && { hidden: true as const }),
  };
}

/** Returns the lines, with a count instead of removed lines that may have a secret, and the number of these. */
function withoutHidden(lines: readonly string[], isPlain: (line: string) => boolean): { shown: string[]; hidden: number } {
  const shown: string[] = [];
  let run = 0;
  let hidden = 0;
  for (const line of [...lines, undefined]) {
    if (line?.startsWith('-') && !isPlain(line.slice(1))) {
      run++;
      continue;
    }
    if (run > 0) shown.push(run === 1 ? '-(not shown)' : `-(${run} lines not shown)`);
    hidden += run;
    run = 0;
    if (line !== undefined) shown.push(line);
  }
  return { shown, hidden };
}

/** Reports whether former content may be secret: a former password is still one, and its name is unknown. */
const isHidden = ({ exists, mode }: FoundFile, holdsSecrets: boolean): boolean => exists && (holdsSecrets || !isForAll(mode));

/** Whether every user of the host may read it. */
const isForAll = (mode: string): boolean => (Number.parseInt(mode, 8) & 0o004) !== 0;
