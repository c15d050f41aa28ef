import { LIMITS } from '../../core/limits.js';

const MiB = 1024 * 1024;

/** What Git may spend on one source: a server that a stranger chose may answer slowly, or without end. */
export interface Bounds {
  /** Seconds for all questions together. */
  seconds: number;
  /** Bytes of a file that Git writes. All that a server sends is one such file, since nothing is unpacked. */
  fetched: number;
  /** Bytes of memory of each process, as far as the kernel counts them: a server may send names without end. */
  memory: number;
  /** Bytes of the archive. */
  archive: number;
  /** Bytes of any other answer, such as the list of files. */
  answer: number;
}

/**
 * A shallow fetch of 1 GiB takes 90 s at 100 Mbit/s. No source needs more: of its files at most 256 MiB are taken, and its
 * history is not fetched.
 */
export const BOUNDS: Bounds = {
  seconds: 120,
  fetched: 1024 * MiB,
  memory: 2048 * MiB,
  archive: LIMITS.sourceFiles,
  answer: 64 * MiB,
};

/** Bounds, and when the time is up, in milliseconds of `performance.now()`. */
export interface Budget {
  bounds: Bounds;
  until: number;
}

/** A budget whose time begins now. */
export const createBudget = (bounds: Bounds = BOUNDS): Budget => ({ bounds, until: performance.now() + bounds.seconds * 1000 });
