import { requireRegisteredWorkspace } from '../../../app/workspaces/registered-workspace.js';
import { enterWorkspace } from '../../../authoring/context.js';
import { examine, type Finding } from '../../../authoring/workspaces/doctor.js';
import { EXIT } from '../../../core/exit-codes.js';
import { allRegistered } from '../../../home/workspaces/registry.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { forbidGitServers, NO_GIT_SERVERS } from '../../shared/without-git-servers.js';

const COLOURS = { well: 'green', wrong: 'red', unknown: 'yellow' } as const;

export const command = defineCommand({
  arguments: [['[name]', 'a registered workspace (default: all)']],
  details: [
    'Checks folders, reads all definitions, and compares them with the infras of the engine. Exit code 1 if something is wrong.',
    NO_GIT_SERVERS,
  ].join(' '),
  examples: ['workspace doctor', 'workspace doctor shop --json'],
  async run(session, { args: [name] }) {
    const all = name === undefined ? allRegistered(session.home) : [requireRegisteredWorkspace(session.home, name)];
    const found: { workspace: string; findings: Finding[] }[] = [];
    for (const one of all) {
      const there = enterWorkspace(forbidGitServers(session), { name: one.name, by: 'option', registered: one });
      found.push({ workspace: one.name, findings: await examine(there, one) });
    }
    const isWrong = found.some(({ findings }) => findings.some(({ is }) => is === 'wrong'));
    const exitCode = isWrong ? EXIT.failed : EXIT.done;
    if (session.json) {
      writeDocument(session, { workspaces: found });
      return exitCode;
    }
    const paint = paintFor(session.out);
    for (const { workspace, findings } of found) {
      session.out.write(`${paint('bold', workspace)}\n`);
      for (const { is, about, text, hint } of findings)
        session.out.write(`  ${paint(COLOURS[is], is.padEnd(7))}  ${about}: ${text}${hint ? `\n           hint: ${hint}` : ''}\n`);
    }
    if (found.length === 0) session.out.write('no workspaces: provisioning workspace init NAME makes one\n');
    return exitCode;
  },
});
