import { setWorkflowOptions } from '@temporalio/workflow';
import { infra } from './infra.js';

// In a fleet with Worker Versioning all else ends on the code that began it; what lives for years must come along.
setWorkflowOptions({ versioningBehavior: 'AUTO_UPGRADE' }, infra);
