import { execFile } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ADMINISTER } from './kafka-administer.js';
import { memberFact, readMember } from './kafka-ask.js';

const run = promisify(execFile);

const CLUSTER = '5fyL_53mRhaaTCbPX8RQ3g';
const [A, B] = ['B1_e7F01QLunWH_1MrOZzQ', 'j5BoOPIbg4TdbhiCI1SvDg'];
const read = (...lines: string[]) => readMember({ stdout: lines.join('\n'), exit: 0 });
const DATA = `data ${CLUSTER} 7 ${A}`;
const ANSWERS = [`cluster ${CLUSTER}`, 'leader 7', `voter 7 ${A}`, `voter 8 ${B}`];

test('a member serves if it has a vote, a majority agrees, and it takes clients', () => {
  expect(read(DATA, ...ANSWERS, 'majority', 'broker')).toEqual({
    ...{ data: { cluster: CLUSTER, node: 7, directory: A }, joining: false, serves: true, leads: true },
    voters: [
      { node: 7, directory: A },
      { node: 8, directory: B },
    ],
  });
  for (const missing of ['majority', 'broker', `voter 7 ${A}`]) {
    const lines = [DATA, ...ANSWERS, 'majority', 'broker'].filter((line) => line !== missing);
    expect(read(...lines)).toMatchObject({ serves: false, leads: false });
  }
});

test('data of a cluster is known by its mark', () => {
  expect(read(DATA, 'clustered').clustered).toBe(true);
  expect([read(DATA).clustered, read('clustered').clustered]).toEqual([undefined, undefined]);
});

test('a vote of its number with other data is that of another machine', () => {
  expect(read(`data ${CLUSTER} 7 ${B}`, ...ANSWERS.slice(0, 3), 'majority', 'broker').serves).toBe(false);
});

test('what answers for another cluster than that of the data is not this member', () => {
  const other = ['cluster AAAAAAAAAAAAAAAAAAAAAA', ...ANSWERS.slice(1), 'majority', 'broker'];
  expect(read(DATA, ...other)).toMatchObject({ serves: false, voters: [] });
});

test.each(['data $(id) 7 x', `data ${CLUSTER} -7 ${A}`, `data ${CLUSTER} 7 ../../etc`, `data ${CLUSTER} 99999999999 ${A}`])(
  'data of another form does not count: %s',
  (line) => {
    expect(read(line, ...ANSWERS, 'majority', 'broker')).toMatchObject({ serves: false });
    expect(read(line).data).toBeUndefined();
  },
);

test('data that cannot be read is not taken for none', () => {
  expect((memberFact() as { run: string }).run).toMatch(/\|\| exit 1\nsystemctl/);
  expect(() => readMember({ stdout: '', exit: 1 })).toThrow('its data could not be read');
});

/** Asks a server that answers each question with these bytes. */
async function ask(answer: (question: Buffer) => Buffer, ...verb: string[]): Promise<{ code: number; output: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (question) => socket.write(answer(question)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const words = verb.map((word) => word.replace('AT', `127.0.0.1:${port}`));
  try {
    const { stdout } = await run('bash', ['-c', `${ADMINISTER}\nadminister plain "$@"`, 'bash', ...words], { timeout: 20_000 });
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** An answer of the right size and number. */
function writeAnswer(question: Buffer, content: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeInt32BE(5 + content.length, 0);
  question.copy(head, 4, 8, 12);
  return Buffer.concat([head, content]);
}

test.each<[string, (question: Buffer) => Buffer]>([
  ['an endless one', () => Buffer.from([0x7f, 255, 255, 255])],
  ['one of a negative size', () => Buffer.from([255, 255, 255, 255])],
  ['an empty one', (question) => writeAnswer(question, Buffer.alloc(0))],
  ['one with a list that is longer than it', (question) => writeAnswer(question, Buffer.from([0, 0, 0, 0, 255, 255, 255, 255, 7]))],
  ['one with a number without an end', (question) => writeAnswer(question, Buffer.alloc(64, 255))],
  ['one to another question', (question) => writeAnswer(Buffer.alloc(question.length, 9), Buffer.alloc(64))],
])('a hostile answer ends a look with one line: %s', async (_, answer) => {
  const { code, output } = await ask(answer, 'look', 'AT', '127.0.0.1:1', '7');
  expect(code).toBe(1);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(output).not.toContain('Traceback');
});

test('the id of a cluster that a member tells reaches no script in another form', async () => {
  const id = Buffer.from('$(touch x)\nvoter 1 aaaa');
  const metadata = Buffer.concat([Buffer.from([0, 0, 0, 0, 1, id.length + 1]), id, Buffer.alloc(16)]);
  const { code, output } = await ask((question) => writeAnswer(question, metadata), 'look', 'AT', '127.0.0.1:1', '7');
  expect([code, output.trim()]).toEqual([1, 'the id of the cluster has another form']);
});
