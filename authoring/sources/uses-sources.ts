import type { Definition } from '../../core/definition/definition.js';
import { isRecord } from '../../definition/source/salvage.js';

/** Returns whether a definition deploys sources that are stored with it. */
export const usesSources = ({ servers }: Definition): boolean =>
  servers.some(({ taskservs }) =>
    taskservs.some(({ config }) => isRecord(config) && isRecord(config.source) && isRecord(config.source.resolved)),
  );
