import type { Definition } from '../../core/definition/definition.js';
import { isRecord } from '../../definition/source/salvage.js';

/** Whether a definition deploys what is kept with it. */
export const usesSources = ({ servers }: Definition): boolean =>
  servers.some(({ taskservs }) =>
    taskservs.some(({ config }) => isRecord(config) && isRecord(config.source) && isRecord(config.source.resolved)),
  );
