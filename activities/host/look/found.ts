import { type CommandOutput, type Fact, type Facts, FoundFile, type FoundPackage, newHomePath } from '../../../core/host/facts.js';
import type { Text } from '../../../core/taskserv/secret.js';

/** Value of a fact from the host's raw answer. `reveal` inserts the values of secrets, to compare files. */
export function factValue(fact: Fact<unknown>, output: CommandOutput, reveal: (text: Text) => string): unknown {
  switch (fact.kind) {
    case 'command':
      return fact.parse(output);
    case 'package':
      return packageOf(fact.name, output.stdout);
    case 'service':
      return { name: fact.name, ...JSON.parse(output.stdout) };
    case 'records':
      throw new Error(`a host knows no records of ${fact.at.zone}`);
    case 'file':
      return fileOf(fact.path, output, reveal);
  }
}

function packageOf(name: string, said: string): FoundPackage {
  const [version, held] = said.split(' ');
  return { name, version: version || undefined, ...(held && { held: true }) };
}

function fileOf(
  asked: string,
  { exit, stdout, path = newHomePath(asked) }: CommandOutput,
  reveal: (text: Text) => string,
): FoundFile {
  if (exit !== 0) return new FoundFile(path, { exists: false }, reveal);
  const end = stdout.indexOf('\n');
  const [mode = '644', owner] = stdout.slice(0, end).split(' ');
  return new FoundFile(path, { exists: true, mode: mode.padStart(4, '0'), owner, content: stdout.slice(end + 1) }, reveal);
}

/** All values of a taskserv's facts. */
export function readFacts<F extends Facts>(
  facts: F,
  output: (fact: Fact<unknown>) => CommandOutput,
  reveal: (text: Text) => string,
) {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, factValue(fact, output(fact), reveal)]));
}
