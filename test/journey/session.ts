import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { provisioning } from '../support/command-line.js';
import { definitionText, type Wish } from './definition.js';

/** A command's answer and the actual state. */
export interface Comparison {
  act: string;
  /** The command as a user types it. */
  command: string;
  said: string;
  truth: string;
  agree: boolean;
}

/** Output of a command: one document if JSON was requested. */
export interface Said<Document = unknown> {
  /** The command as a user types it. */
  line: string;
  code: number;
  text: string;
  json: Document;
}

/** A user's session on its own set-up, with its comparisons. */
export interface Session {
  infra: string;
  /** Current content of the definition file. */
  wish: Wish;
  compared: Comparison[];
  /** Starts a part of the session. */
  act(title: string): void;
  /** Changes the definition file. */
  edit(change: Partial<Wish>): Promise<void>;
  /** Runs a command for people. `FILE` is replaced by the definition's path. */
  tell(line: string): Promise<Said>;
  /** Runs a command with `--json`. Throws if it prints no document. */
  ask<Document>(line: string): Promise<Said<Document>>;
  compare(command: Pick<Said, 'line'>, row: Pick<Comparison, 'said' | 'truth' | 'agree'>): void;
}

/**
 * Starts a session.
 *
 * @param folder contains the definition
 * @param interrupted stops all further commands
 * @param onCompared receives each comparison
 */
export function startSession(
  { infra, folder, env, interrupted }: { infra: string; folder: string; env: NodeJS.ProcessEnv; interrupted: AbortSignal },
  onAct: (title: string) => void,
  onCompared: (row: Comparison) => void,
): Session {
  const file = join(folder, 'shop.yaml');
  let act = '';

  async function run(line: string, json: boolean): Promise<Said> {
    interrupted.throwIfAborted();
    const words = line.split(' ').map((word) => (word === 'FILE' ? file : word));
    const { code, stdout, stderr } = await provisioning({ env }, json ? [...words, '--json'] : words);
    const shown = line.replace('FILE', 'shop.yaml').replaceAll(infra, 'shop');
    const read = () => {
      try {
        return JSON.parse(stdout) as unknown;
      } catch {
        throw new Error(`${line} --json printed no document: ${stdout}${stderr}`);
      }
    };
    return { line: shown, code, text: `${stdout}${stderr}`, json: json ? read() : undefined };
  }

  const session: Session = {
    infra,
    wish: { infra, webs: 1, page: 'one' },
    compared: [],
    act(title) {
      act = title;
      onAct(title);
    },
    async edit(change) {
      session.wish = { ...session.wish, ...change };
      await writeFile(file, definitionText(session.wish));
    },
    tell: (line) => run(line, false),
    ask: <Document>(line: string) => run(line, true) as Promise<Said<Document>>,
    compare({ line }, { said, truth, agree }) {
      const named = (text: string) => text.replaceAll(infra, 'shop');
      const compared = { act, command: line, said: named(said), truth: named(truth), agree };
      session.compared.push(compared);
      onCompared(compared);
    },
  };
  return session;
}
