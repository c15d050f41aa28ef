import type { ReferenceKind } from '../../definition/reference-kinds.js';
import type { Context } from '../context.js';

/** Context in which a reference is read. */
export interface GivenPlace {
  context: Context;
  /** Folder of the workspace. Files outside of it are not read. */
  root: string;
  /** Returns a secret that is stored only for the definition's workspace. */
  ownSecret(name: string): Promise<string | undefined>;
}

/** Kind of reference whose value is read when the definition is submitted. */
export interface GivenKind<Reference = unknown> extends ReferenceKind<Reference> {
  /** Reads the value. Throws input errors that contain nothing of the value. */
  read(reference: Reference, place: GivenPlace): Promise<string>;
}

/** Kinds of references by their own key. */
// biome-ignore lint/suspicious/noExplicitAny: each knows its own references
export type GivenKinds = Readonly<Record<string, GivenKind<any>>>;
