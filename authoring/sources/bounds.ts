import { LIMITS } from '../../core/limits.js';

const MiB = 1024 * 1024;

/** Limits on Git for one source. An untrusted server may answer slowly or endlessly. */
export interface Bounds {
  /** Seconds for all queries together. */
  seconds: number;
  /** Bytes of a file that Git writes. All data from a server is a single file, since nothing is unpacked. */
  fetched: number;
  /** Memory of each process in bytes, as far as the kernel counts it. A server may send an endless list of names. */
  memory: number;
  /** Bytes of the archive. */
  archive: number;
  /** Bytes of any other answer, such as the list of files. */
  answer: number;
}

/**
 * Default limits. A shallow fetch of 1 GiB takes 90 s at 100 Mbit/s. No source needs more: at most 256 MiB of its
 * files are used, and its history is not fetched.
 */
export const BOUNDS: Bounds = {
  seconds: 120,
  fetched: 1024 * MiB,
  memory: 2048 * MiB,
  archive: LIMITS.sourceFiles,
  answer: 64 * MiB,
};

/** Limits with their deadline, in milliseconds of `performance.now()`. */
export interface Budget {
  bounds: Bounds;
  until: number;
}

/** Creates a budget whose time begins now. */
export const createBudget = (bounds: Bounds = BOUNDS): Budget => ({ bounds, until: performance.now() + bounds.seconds * 1000 });
