import type { Definition } from '../definition/definition.js';
import { sha256 } from '../encoding/sha256.js';

/** Entries that are kept. */
const KEPT = 20;
/** Characters of JSON of former definitions that are kept whole. The one before the last applied one is always kept. */
const KEPT_WHOLE = 4_000_000;

/** A definition that was applied to an infra, and whether that stands. */
export interface AppliedDefinition {
  /** Content address; absent: the infra was deleted as a whole. */
  hash?: string;
  /** The operation that applied it first; empty where that was not kept. */
  operation: string;
  actor: string;
  /** ISO time; empty where that was not kept. */
  at: string;
  /** Operations that applied it and were not rolled back: several may apply the same one side by side. */
  by: string[];
  /** The operation that rolled back the last of them. */
  undone?: { operation: string; at: string };
  /** Characters of its JSON. */
  size: number;
}

/** An entry as it is listed. */
export interface DefinitionRow extends Omit<AppliedDefinition, 'size'> {
  /** It is the last applied one. */
  inForce: boolean;
}

export interface DefinitionLogState {
  /** Oldest first. */
  entries: AppliedDefinition[];
  /** Those that a roll-back may bring back, and the last applied one, by content address. */
  contents: Record<string, Definition>;
}

/** Operation that applies a definition or rolls it back, its actor, and the time (ISO time). */
export interface Applier {
  operation: string;
  actor: string;
  at: string;
}

/** Object of a roll-back: the application of a definition by an operation. */
export interface UndoneApply {
  of: string;
  /** Absent in what a former release recorded: the last that the operation applied. */
  hash?: string;
  /** The former definition, as far as the operation knows it. */
  former?: Definition;
}

const addresses = new WeakMap<Definition, { hash: string; size: number }>();

function measured(definition: Definition): { hash: string; size: number } {
  let found = addresses.get(definition);
  if (!found) {
    const text = JSON.stringify(definition);
    found = { hash: sha256(text), size: text.length };
    addresses.set(definition, found);
  }
  return found;
}

/**
 * Content address of a definition: SHA-256 of its JSON with the keys in written order, because a taskserv may write
 * them to a host in that order.
 */
export const addressOf = (definition: Definition): string => measured(definition).hash;

/** Creates the log of an infra of which only the last applied definition, and perhaps its operation, is known. */
export function createDefinitionLog(
  definition: Definition | undefined,
  received?: { operation: string; submitted: string },
): DefinitionLogState {
  if (!definition) return { entries: [], contents: {} };
  const { hash, size } = measured(definition);
  const { operation = '', submitted = '' } = received ?? {};
  const entry = { hash, operation, actor: '', at: submitted, by: received ? [operation] : [], size };
  return { entries: [entry], contents: { [hash]: definition } };
}

/**
 * Log of the last definitions applied to an infra, with operation and time. The last one that was not rolled back is
 * in force. It remains until all operations that applied it are rolled back. Pure: callers pass the time.
 */
export class DefinitionLog {
  readonly #entries: AppliedDefinition[];
  readonly #contents: Map<string, Definition>;

  constructor({ entries, contents }: DefinitionLogState = { entries: [], contents: {} }) {
    this.#entries = entries.map((entry) => ({ ...entry, by: [...entry.by] }));
    this.#contents = new Map(Object.entries(contents));
  }

  /** The entry of the definition in force. */
  get last(): AppliedDefinition | undefined {
    return this.#entries.findLast(stands);
  }

  get inForce(): Definition | undefined {
    const { hash } = this.last ?? {};
    return hash === undefined ? undefined : this.#contents.get(hash);
  }

  /** A definition that is kept whole. */
  content(hash: string): Definition | undefined {
    return this.#contents.get(hash);
  }

  /** An operation has applied it; undefined: it has deleted the infra. Answers whether another one is in force now. */
  apply(definition: Definition | undefined, { operation, actor, at }: Applier): boolean {
    const { hash, size } = definition ? measured(definition) : { hash: undefined, size: 0 };
    const { last } = this;
    if (last && last.hash === hash) {
      if (!last.by.includes(operation)) last.by.push(operation);
      return false;
    }
    this.#entries.push({ ...(hash !== undefined && { hash }), operation, actor, at, by: [operation], size });
    if (hash !== undefined && definition) this.#contents.set(hash, definition);
    this.#forget();
    return last !== undefined || hash !== undefined;
  }

  /** That an operation applied it is rolled back. Answers whether another one is in force now. */
  undo({ of, hash, former }: UndoneApply, by: Applier): boolean {
    const { last } = this;
    const entry = this.#entryOf(of, hash);
    if (!last || !entry) return false;
    const others = entry.by.filter((one) => one !== of);
    if (others.length === 0 && entry === last && !this.#canReturn(former)) return false;
    entry.by = others;
    if (others.length > 0) return false;
    entry.undone = { operation: by.operation, at: by.at };
    if (entry !== last) return false;
    if (former) this.#bringBack(former, by);
    this.#forget();
    return true;
  }

  /** Whose definition stays in force where that of an operation is rolled back; undefined: it gives way to the former one. */
  staying(of: string): { operation: string; at: string } | undefined {
    const { last } = this;
    const other = last?.by.find((one) => one !== of);
    return last && other !== undefined ? { operation: other, at: last.at } : undefined;
  }

  /** Newest first. */
  rows(): DefinitionRow[] {
    const { last } = this;
    return this.#entries.map((entry) => rowOf(entry, entry === last && entry.hash !== undefined)).reverse();
  }

  /** As it is now: it stays so whatever is applied later. */
  state(): DefinitionLogState {
    const entries = this.#entries.map((entry) => ({ ...entry, by: [...entry.by] }));
    return { entries, contents: Object.fromEntries(this.#contents) };
  }

  /** The last entry that an operation applied. If the operation of the definition in force is unknown, that entry. */
  #entryOf(of: string, hash: string | undefined): AppliedDefinition | undefined {
    const fits = (entry: AppliedDefinition) => stands(entry) && (hash === undefined || entry.hash === hash);
    const own = this.#entries.findLast((entry) => fits(entry) && entry.by.includes(of));
    const { last } = this;
    return own ?? (last && last.by.length === 0 && fits(last) ? last : undefined);
  }

  /** Whether what was in force before the last one is known. */
  #canReturn(former: Definition | undefined): boolean {
    if (former) return true;
    const before = this.#entries.filter(stands).at(-2);
    if (!before) return this.#entries.length < KEPT;
    return before.hash === undefined || this.#contents.has(before.hash);
  }

  /** Restores a former definition that is not in the log. */
  #bringBack(former: Definition, by: Applier): void {
    const { hash } = this.last ?? {};
    if (this.last && (hash === undefined || this.#contents.has(hash))) return;
    if (hash === addressOf(former)) this.#contents.set(hash, former);
    else this.apply(former, by);
  }

  #forget(): void {
    if (this.#entries.length > KEPT) this.#entries.splice(0, this.#entries.length - KEPT);
    const wanted = new Set<string>();
    let whole = 0;
    for (const { hash, size } of this.#entries.filter(stands).reverse()) {
      if (hash === undefined || wanted.has(hash)) continue;
      whole += wanted.size === 0 ? 0 : size;
      if (wanted.size < 2 || whole <= KEPT_WHOLE) wanted.add(hash);
    }
    for (const hash of this.#contents.keys()) if (!wanted.has(hash)) this.#contents.delete(hash);
  }
}

const rowOf = ({ size: _, ...entry }: AppliedDefinition, inForce: boolean): DefinitionRow => ({ ...entry, inForce });

const stands = ({ undone }: AppliedDefinition): boolean => undone === undefined;
