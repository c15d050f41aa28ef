import { inputError } from '../../core/errors.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { defineCommand } from '../command.js';
import { columns, paintFor } from '../program/screen.js';
import { SHORTCUTS } from '../program/shortcuts.js';
import { writeDocument } from '../render/document.js';

export const command = defineCommand({
  arguments: [['[command]', 'a group or a command (default: all)']],
  details:
    'The shortcut of a command is the shortcut of its group and the letters of its verb: `s` is `server`, `sls` is `server list`. Options and arguments follow it as they follow the command.',
  examples: ['shortcuts', 'shortcuts server'],
  async run(session, { args: [about] }) {
    const all = Object.entries(SHORTCUTS).map(([shortcut, command]) => ({ shortcut, command }));
    const long = about === undefined ? '' : Object.hasOwn(SHORTCUTS, about) ? (SHORTCUTS[about] as string) : about;
    const chosen = all.filter(({ command }) => long === '' || command === long || command.startsWith(`${long} `));
    if (chosen.length === 0) {
      const why = 'no command with a shortcut has this name';
      const hint = didYouMean(long, new Set(all.map(({ command }) => command)));
      throw inputError({ code: 'unknown-command', what: 'find the shortcut', on: about, why, hint });
    }
    if (session.json) writeDocument(session, { shortcuts: chosen });
    else {
      const paint = paintFor(session.out);
      const head = ['SHORTCUT', 'COMMAND'].map((title) => paint('dim', title));
      const rows = chosen.map(({ shortcut, command }) => [shortcut, command]);
      session.out.write(`${columns([head, ...rows]).join('\n')}\n`);
    }
    return 0;
  },
});
