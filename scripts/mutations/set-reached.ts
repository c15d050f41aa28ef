import { join, relative } from 'node:path';
import { expect, vi } from 'vitest';

/**
 * Set-up file of the first mutation run (baseline.ts). It gives the processes of a test file a file for their notes.
 */
const { REACHED_FOLDER: folder = '', REACHED_ROOT: root = '' } = process.env;
const file = relative(root, expect.getState().testPath ?? 'unknown');
process.env.REACHED_PLACES = join(folder, file.replaceAll('/', '%'));

// Each test file loads the modules again, so that top-level tables and values report too.
vi.resetModules();
