import { structuredPatch } from 'diff';
import { stringify } from 'yaml';
import { formerDefinition } from '../../../authoring/former/former-definition.js';
import type { Definition } from '../../../core/definition/definition.js';
import { defineCommand } from '../../command.js';
import { type Paint, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';

/** Time limit of a comparison in milliseconds. Large definitions with little in common have no readable difference. */
const DIFF_MS = 5_000;

export const command = defineCommand({
  arguments: [['<infra>', 'name of the infra']],
  options: [
    { flags: '--from <which>', about: 'number or content address of `infra history` (default: 2, the previous definition)' },
    { flags: '--to <which>', about: 'number or content address of `infra history` (default: 1, the newest definition)' },
  ],
  details:
    'Shows the difference between two applied definitions line by line, in resolved form: with expanded counts, defaults, and names of secrets.',
  examples: ['infra diff shop', 'infra diff shop --from 3 --to 1'],
  async run(session, { args: [infra], flags: { from = '2', to = '1' } }) {
    const [before, after] = await Promise.all([formerDefinition(session, infra, from), formerDefinition(session, infra, to)]);
    const lines = differenceOf(before.definition, after.definition);
    if (session.json) {
      const named = ({ number, row }: typeof before) => ({ number, hash: row.hash });
      writeDocument(session, { infra, from: named(before), to: named(after), lines: lines ?? null });
      return 0;
    }
    const paint = paintFor(session.out);
    session.out.write(lines ? textOf(lines, paint) : 'they are too different to be shown line by line\n');
    return 0;
  },
});

/** Returns lines with their signs, or undefined if the comparison takes too long. */
function differenceOf(before: Definition, after: Definition): string[] | undefined {
  const [from, to] = [before, after].map((one) => stringify(one, { lineWidth: 0 })) as [string, string];
  const patch = structuredPatch('', '', from, to, undefined, undefined, { context: 3, timeout: DIFF_MS });
  return patch?.hunks.flatMap(({ lines }, index) => [...(index > 0 ? ['…'] : []), ...lines]);
}

function textOf(lines: readonly string[], paint: Paint): string {
  if (lines.length === 0) return 'they are equal\n';
  const painted = lines.map((line) =>
    line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : line,
  );
  return `${painted.join('\n')}\n`;
}
