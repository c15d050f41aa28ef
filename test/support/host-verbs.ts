import type { scriptHost } from '../../activities/host/script/script-host.js';
import { fact } from '../../core/host/facts.js';
import type { Question } from '../../core/host/question.js';

export type ScriptVerbs = ReturnType<typeof scriptHost>;
type Call = (of: ScriptVerbs) => Promise<unknown>;

/** Returns a query for a host: a fact and a check that each add a line to a file. */
export const question = (ran: string): Question => ({
  unit: 'trial',
  facts: { there: fact(`echo fact >>${ran}`, () => true, false) },
  health: { checks: [{ title: 'a check', command: `echo check >>${ran}` }], endpoints: [] },
});

/** Returns a step that adds a line to a file, with an undo that adds another. */
export const workOf = (ran: string) => ({
  ...{ operation: 'op', taskserv: 'trial', generation: 1, begun: true },
  steps: [{ title: 'a step', run: `echo step >>${ran}`, undo: `echo undo >>${ran}` }],
});

/** Returns one call of each verb that sends a script to a host. The types require an entry for a new verb. */
export function hostVerbs(ran: string): [name: string, call: Call][] {
  const artifact = { url: 'https://example.org/a', sha256: 'a'.repeat(64), to: '/nowhere' } as never;
  const calls: { [Verb in Exclude<keyof ScriptVerbs, 'files' | 'access'>]: Call } = {
    look: (of) => of.look([question(ran)]),
    run: (of) => of.run(workOf(ran)),
    pause: (of) => of.pause(workOf(ran), 1),
    progress: async (of) => of.progress?.(workOf(ran), [0]),
    undo: (of) => of.undo(workOf(ran)),
    verify: (of) => of.verify(question(ran), 0),
    stream: async (of) => of.stream?.(`echo stream >>${ran}; echo streamed`),
  };
  type Files = NonNullable<ScriptVerbs['files']>;
  const fileCalls: { [Verb in keyof Files]: (of: Files) => Promise<unknown> } = {
    come: (of) => of.come(artifact),
    append: (of) => of.append(artifact, 0, Buffer.from('part')),
    expect: (of) => of.expect(artifact, 'hash'),
    drop: (of) => of.drop(artifact),
    describe: (of) => of.describe(`${ran}.file`),
    read: (of) => of.read(`${ran}.file`, 0),
  };
  return [
    ...Object.entries(calls),
    ...Object.entries(fileCalls).map(([name, call]): [string, Call] => [`files.${name}`, (of) => call(of.files as Files)]),
    ['access.claim', (of) => of.access.claim()],
  ];
}
