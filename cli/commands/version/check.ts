import { join } from 'node:path';
import { listOf } from '../../../app/request/named.js';
import { webOf } from '../../../app/versions/upstream/asking/web.js';
import { keptAnswersOr } from '../../../app/versions/upstream/kept-answers.js';
import { listedServices } from '../../../app/versions/upstream/listed-services.js';
import { upstreamSettings } from '../../../app/versions/upstream/upstream-settings.js';
import { upstreamVersions } from '../../../app/versions/upstream/upstream-versions.js';
import { registries } from '../../../definition/registries/registries.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { taskservNamed } from '../../shared/taskserv-named.js';
import { countOf } from '../../shared/versions/count-of.js';
import { exitCodeOfUpstream, upstreamTable } from '../../shared/versions/upstream.js';

/** Seconds that a source may send nothing. */
const SILENT_S = 20;

export const command = defineCommand({
  arguments: [
    ['[services...]', 'taskservs whose vendors are asked; without a name all of which is known who lists their versions'],
  ],
  options: [
    { flags: '--refresh', about: 'ask, even if there is a good answer of before' },
    { flags: '--timeout <seconds>', about: `seconds that a vendor may send nothing (default: ${SILENT_S})`, number: true },
  ],
  details:
    'Asks the vendors, or who lists their versions, and compares with the versions that this release of the platform supports. Of services that come from Debian it says what the archive of each release holds. Pre-releases do not count. Nothing is changed. Answers are kept for a day (versions.keep); where a vendor cannot be reached, they are used for another week (versions.grace). Exit code 0 when nothing is newer, 1 when something is or an archive holds another series than this release expects, 3 when somebody could not be asked.',
  examples: ['version check', 'version check traefik,redis', 'version check --refresh --json'],
  async run(session, { args, flags }) {
    const names = listOf(args);
    const { taskservs } = await registries();
    for (const name of names) taskservNamed(taskservs, name);
    const services = await listedServices(taskservs, names);
    const { mirrors, goodMs, graceMs } = await upstreamSettings(session);
    const count = countOf(session, 'services checked');
    count.begin(services.length);
    const found = await upstreamVersions(services, {
      web: webOf({ mirrors, silentMs: (flags.timeout ?? SILENT_S) * 1_000 }),
      kept: await keptAnswersOr(join(session.home.root, 'answers', 'versions'), session.note),
      ...{ goodMs, graceMs, by: mirrors, refresh: flags.refresh === true },
      done: count.done,
    }).finally(count.end);
    if (session.json) writeDocument(session, { services: found });
    else session.out.write(upstreamTable(found, paintFor(session.out)));
    if (!session.json)
      for (const hint of new Set(found.flatMap(({ failure }) => failure?.hint ?? []))) session.note(`hint: ${hint}`);
    return exitCodeOfUpstream(found);
  },
});
