import { join, relative } from 'node:path';
import { expect } from 'vitest';

/** A set-up file of a recording run (record.ts): what the processes of a test file note goes into a file of its own. */
const { RECORDED_FOLDER: folder = '', RECORDED_ROOT: root = '' } = process.env;
const file = relative(root, expect.getState().testPath ?? 'unknown');
process.env.RECORDED_INPUTS = join(folder, file.replaceAll('/', '%'));
