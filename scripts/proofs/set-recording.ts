import { join, relative } from 'node:path';
import { expect } from 'vitest';

/** Set-up file of a recording run (record.ts). The processes of a test file write their notes into a separate file. */
const { RECORDED_FOLDER: folder = '', RECORDED_ROOT: root = '' } = process.env;
const file = relative(root, expect.getState().testPath ?? 'unknown');
process.env.RECORDED_INPUTS = join(folder, file.replaceAll('/', '%'));
