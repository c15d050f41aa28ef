import type { Proofs } from '../proof.js';
import { applications } from './applications.js';
import { backup } from './backup.js';
import { certificates } from './certificates.js';
import { ci } from './ci.js';
import { databases } from './databases.js';
import { development } from './development.js';
import { hypervisors } from './hypervisors.js';
import { languages } from './languages.js';
import { loadBalancing } from './load-balancing.js';
import { messaging } from './messaging.js';
import { names } from './names.js';
import { networking } from './networking.js';
import { networkingSettings } from './networking-settings.js';
import { observability } from './observability.js';
import { orchestration } from './orchestration.js';
import { ownThings } from './own-things.js';
import { registries } from './registries.js';
import { runtimes } from './runtimes.js';
import { security } from './security.js';
import { storage } from './storage.js';
import { system } from './system.js';
import { vendors } from './vendors.js';
import { web } from './web.js';

/** Proofs of the platform's taskservs, by category. Missing taskservs are shown as not proven. */
export const PROOFS: Proofs = {
  ...applications,
  ...backup,
  ...certificates,
  ...ci,
  ...databases,
  ...development,
  ...hypervisors,
  ...languages,
  ...loadBalancing,
  ...messaging,
  ...names,
  ...networking,
  ...networkingSettings,
  ...observability,
  ...orchestration,
  ...ownThings,
  ...registries,
  ...runtimes,
  ...security,
  ...storage,
  ...system,
  ...vendors,
  ...web,
};
