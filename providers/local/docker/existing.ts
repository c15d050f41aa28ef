import { type ExistingHost, existingMachine, type ServerFound, type ServerWanted } from '../../../sdk/index.js';

/** A machine that is there already, as a server: nothing is made, and nothing about it can differ. */
export const existingServer = ({ name, plan, image, labels }: ServerWanted, host: ExistingHost): ServerFound => ({
  ...existingMachine(host),
  name,
  status: 'running',
  plan: plan.name,
  image,
  labels,
  volumes: [],
});
