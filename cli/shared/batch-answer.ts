import type { Client } from '../../client/client.js';
import { type Command, defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { NO_WAIT } from './answer.js';
import { REASON } from './control.js';
import { followBatch } from './follow-batch.js';

/** Declares a command that sends an answer to a batch and follows it. */
export const batchAnswer = (
  details: string,
  say: (client: Client, batch: string, why: string | undefined) => Promise<string>,
): Command =>
  defineCommand({
    arguments: [['<batch>', 'id of the batch']],
    options: [REASON, NO_WAIT],
    details,
    async run(session, { args: [id = ''], flags }) {
      const answer = await say(await session.client(), id, flags.reason);
      if (flags.wait !== false && !session.json) session.out.write(`${answer}\n`);
      if (flags.wait !== false) return followBatch(session, id);
      if (session.json) writeDocument(session, { batch: id, answer });
      else session.out.write(`${answer}\nfollow it: provisioning batch follow ${id}\n`);
      return 0;
    },
  });
