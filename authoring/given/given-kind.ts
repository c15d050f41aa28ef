import type { ReferenceKind } from '../../definition/reference-kinds.js';
import type { Context } from '../context.js';

/** Where a reference is read. */
export interface GivenPlace {
  context: Context;
  /** The folder of the workspace: nothing beyond it is read. */
  root: string;
  /** A secret that is kept for the workspace of the definition alone. */
  ownSecret(name: string): Promise<string | undefined>;
}

/** A kind of reference, and how who submits a definition reads its value. */
export interface GivenKind<Reference = unknown> extends ReferenceKind<Reference> {
  /** Throws input errors, which hold nothing of the value. */
  read(reference: Reference, place: GivenPlace): Promise<string>;
}

/** Kinds of references by their own key. */
// biome-ignore lint/suspicious/noExplicitAny: each knows its own references
export type GivenKinds = Readonly<Record<string, GivenKind<any>>>;
