import { join, relative } from 'node:path';
import { expect, vi } from 'vitest';

/** A set-up file of the first run of mutations (baseline.ts): the processes of a test file have a file for their notes. */
const { REACHED_FOLDER: folder = '', REACHED_ROOT: root = '' } = process.env;
const file = relative(root, expect.getState().testPath ?? 'unknown');
process.env.REACHED_PLACES = join(folder, file.replaceAll('/', '%'));

// A table that a module makes, and a value that it keeps, are made again for each test file: each reports what it reaches.
vi.resetModules();
