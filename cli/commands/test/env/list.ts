import type { TestEnvironment } from '../../../../core/environment/test-environment.js';
import { defineCommand } from '../../../command.js';
import { columns, paintFor } from '../../../program/screen.js';
import { writeDocument } from '../../../render/document.js';
import { environmentDocument } from '../../../shared/test-environments/environment-document.js';

const row = ({ infra, type, about, created, expires, actor, ending, failure }: TestEnvironment): string[] => {
  const state = failure === undefined ? (ending === undefined ? 'there' : 'being removed') : `cannot be removed: ${failure}`;
  return [infra, `${type} ${about}`, created.slice(0, 16), expires.slice(0, 16), actor, state];
};

export const command = defineCommand({
  details: 'Lists test environments of the workspace with the times of creation and removal.',
  examples: ['test env list', 'test env list --json'],
  async run(session) {
    const all = await (await session.client()).testEnvironments.list({ workspace: session.workspace });
    const paint = paintFor(session.out);
    if (session.json) writeDocument(session, { environments: all.map(environmentDocument) });
    else if (all.length === 0) session.out.write('there are none\n');
    else {
      const [head = '', ...lines] = columns([['name', 'of', 'made', 'removed by', 'actor', 'state'], ...all.map(row)]);
      session.out.write(`${[paint('bold', head), ...lines].join('\n')}\n`);
    }
    return 0;
  },
});
