import { inputError } from '../../core/errors.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { defineCommand } from '../command.js';
import { SCRIPTS } from '../completion/scripts.js';
import { writeDocument } from '../render/document.js';

export const command = defineCommand({
  arguments: [['<shell>', 'bash, zsh or fish']],
  details:
    'Completes commands, options, and the names of infras, servers, taskservs, operations, batches and secrets. In ~/.bashrc: `eval "$(provisioning completion bash)"`; in ~/.zshrc the same with zsh; in ~/.config/fish/config.fish: `provisioning completion fish | source`. Names come from a running engine; the completion starts none.',
  examples: ['completion bash', 'completion fish'],
  async run(session, { args: [shell] }) {
    if (!isShell(shell)) {
      const hint = didYouMean(shell, Object.keys(SCRIPTS));
      throw inputError({
        code: 'bad-arguments',
        what: 'complete commands',
        on: shell,
        why: 'this shell has no completion script',
        hint,
      });
    }
    const script = SCRIPTS[shell];
    if (session.json) writeDocument(session, { shell, script });
    else session.out.write(script);
    return 0;
  },
});

const isShell = (name: string): name is keyof typeof SCRIPTS => Object.hasOwn(SCRIPTS, name);
