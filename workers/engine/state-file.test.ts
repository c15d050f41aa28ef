import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Home, homeOf } from '../../home/home.js';
import { makeFolder } from '../../test/support/temporary-folder.js';
import { describeServed, lineOfState, markFinished, markUnfinished, stateFile, wrongLine } from './state-file.js';

let home: Home;
beforeEach(async () => {
  home = homeOf({ PROVISIONING_HOME: await makeFolder('state') });
  await mkdir(home.engine, { recursive: true });
});
const database = (head = 'SQLite format 3\0') => writeFile(stateFile(home), `${head} and the rest`);

describe('the state file of the engine', () => {
  test('that does not exist fits every server', async () => {
    expect(await lineOfState(home)).toBeUndefined();
  });

  test('tells the line of servers that made it', async () => {
    await markUnfinished(home, '1.31');
    await database();
    await markFinished(home, '1.31');
    expect(await lineOfState(home)).toBe('1.31');
  });

  test('whose first start never came to serve is made again', async () => {
    await markUnfinished(home, '1.31');
    await database();
    expect(await lineOfState(home)).toBeUndefined();
    expect(existsSync(stateFile(home))).toBe(false);
  });

  test.each([
    ['without a mark', undefined, 'SQLite format 3\0', 'version mark "temporal.version" is missing'],
    ['with a strange mark', 'whatever', 'SQLite format 3\0', 'version mark says "whatever"'],
    ['that is no database', 'server 1.31', 'something else', 'no SQLite database'],
  ])('%s is refused with a way out', async (_, mark, head, why) => {
    await database(head);
    if (mark) await writeFile(join(home.engine, 'temporal.version'), `${mark}\n`);
    const error = await lineOfState(home).catch((thrown) => thrown);
    expect(error.details).toMatchObject({ code: 'engine-file-version', blame: 'user', on: stateFile(home) });
    expect(error.message).toContain(why);
    expect(error.details.hint).toContain(`mv '${home.engine}'`);
    expect(existsSync(stateFile(home))).toBe(true);
  });

  test('is one that a server has served from, or none: what cannot be told is an error, as for a backup', async () => {
    const refused = { details: { code: 'engine-file-version' } };
    expect(await describeServed(home)).toBeUndefined();
    await writeFile(stateFile(home), '');
    expect(await describeServed(home)).toBeUndefined();
    await database();
    await expect(describeServed(home)).rejects.toMatchObject(refused);
    await writeFile(join(home.engine, 'temporal.version'), 'server one\n');
    await expect(describeServed(home)).rejects.toMatchObject(refused);
    await markUnfinished(home, '1.31');
    expect(await describeServed(home)).toBeUndefined();
    await markFinished(home, '1.31');
    expect(await describeServed(home)).toBe('1.31');
    await rm(join(home.engine, 'temporal.version'));
    await mkdir(join(home.engine, 'temporal.version'));
    await expect(describeServed(home)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(existsSync(stateFile(home))).toBe(true);
  });

  test('of another line names both versions', () => {
    expect(wrongLine(home, '1.29', '1.31.2').message).toContain('Temporal server 1.29 wrote it, and this one is 1.31.2');
  });
});
