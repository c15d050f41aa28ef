import { method } from '../../method.js';
import { isOutdated } from '../../versions/service-versions.js';
import { versionsOfTaskservs } from './versions.js';

export const listOutdatedTaskservs = method({
  ...versionsOfTaskservs,
  name: 'taskservs.outdated',
  summary:
    'Check the hosts of an infra and list services with newer versions, and those whose host did not answer; changes nothing',
  async run(call, asked) {
    const today = new Date().toISOString().slice(0, 10);
    const services = await versionsOfTaskservs.run(call, asked, {});
    return services.filter((one) => one.why !== undefined || isOutdated(one, today));
  },
});
