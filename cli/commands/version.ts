import { defineCommand } from '../command.js';
import { packageVersion } from '../program/package.js';
import { writeDocument } from '../render/document.js';

export const command = defineCommand({
  details: 'Prints the version of the platform. `version check` looks for newer versions of services.',
  async run(session) {
    const version = packageVersion();
    if (session.json) writeDocument(session, { version, node: process.versions.node });
    else session.out.write(`provisioning ${version}\n`);
    return 0;
  },
});
