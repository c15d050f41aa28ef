import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Candidate } from './choose.js';
import { inputsOf } from './inputs.js';
import { isTest, moduleGraph } from './module-graph.js';
import { hashOver, type Proof, type Proofs, type RecordedInputs, readInputs, readProofs, secondsOf } from './proofs.js';
import { isDeclaredInput, isRecordable } from './sentinels.js';

/** Major version of Node, to which a proof belongs. */
const NODE = process.versions.node.split('.')[0] as string;

/** State of the repository according to its proofs, when this was read. */
export interface State {
  candidates: Candidate[];
  proofs: Proofs;
  /** Reads all files: edits during the tests are not part of their proofs. */
  hold(): Promise<void>;
  /**
   * Creates the proof of a file.
   *
   * @param recorded inputs recorded since
   */
  proofOf(file: string, seconds: number, recorded?: RecordedInputs): Promise<Proof>;
}

export async function readState(root: string): Promise<State> {
  const files = await repositoryFiles(root);
  const tests = files.filter(isTest);
  const graph = await moduleGraph(root, files);
  const hashOf = async (test: string, { used, loaded }: RecordedInputs) => {
    const inputs = inputsOf(
      test,
      (isRecordable(test) && used[test]) || { ran: [], opened: files.filter((path) => isDeclaredInput(test, path)) },
      new Set(loaded),
      graph,
    );
    return hashOver(await Promise.all(inputs.map((path) => graph.hash(path))));
  };
  const proofs = readProofs(root);
  const kept = readInputs(root);
  const { stdout: commit } = await execa('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root });
  const whyStale = async (test: string) => {
    const proof = proofs[test];
    if (!proof) return 'never proven';
    if (proof.node !== NODE) return `proven with Node ${proof.node}`;
    return (await hashOf(test, kept)) === proof.hash ? undefined : 'its inputs changed';
  };
  const candidates = tests.map(async (file): Promise<Candidate> => {
    return { file, stale: await whyStale(file), on: proofs[file]?.on, seconds: secondsOf(proofs, file) };
  });
  return {
    candidates: await Promise.all(candidates),
    proofs,
    hold: async () => void (await Promise.all(files.map((path) => graph.hash(path)))),
    proofOf: async (file, seconds, recorded = kept) => ({
      hash: await hashOf(file, recorded),
      on: new Date().toISOString().slice(0, 16),
      seconds,
      commit,
      node: NODE,
    }),
  };
}

async function repositoryFiles(root: string): Promise<string[]> {
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
  return stdout.split('\n').filter((path) => existsSync(join(root, path)));
}

/**
 * Returns the files whose proofs have changed since a day before the last commit, or since the oldest available
 * commit.
 */
export async function renewedProofs(root: string, proofs: Proofs): Promise<Set<string>> {
  const git = async (...args: string[]) => (await execa('git', args, { cwd: root, reject: false })).stdout;
  const last = Number(await git('log', '-1', '--format=%ct'));
  const before = await git('rev-list', '-1', `--before=${last - 86_400}`, 'HEAD');
  const text = before && (await git('show', `${before}:test/proofs/proofs.json`));
  const former: Proofs = text ? JSON.parse(text) : {};
  return new Set(Object.keys(proofs).filter((file) => former[file]?.hash !== proofs[file]?.hash));
}
