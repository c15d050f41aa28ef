import { stringify } from 'yaml';

/** Files of a new workspace, by path in its folder. */
export type WorkspaceFiles = Readonly<Record<string, string>>;

export const WORKSPACE_TEMPLATES = ['minimal', 'web'] as const;
export type WorkspaceTemplate = (typeof WORKSPACE_TEMPLATES)[number];

/** Content of `.gitignore`, which keeps values, keys and saved plans out of Git. */
const IGNORED = `# Values and keys stay out of Git: provisioning secret set NAME keeps them.
.env
*.pem
*.key
keys.json
# Plans that were saved by apply --plan-out.
*.plan
`;

const PROVIDER = `# The provider "demo" makes no machine: it keeps its servers in a file. Others: local (containers on this machine),
# hetzner, upcloud, aws, and hosts that you have already. provisioning provider list shows them.
provider: demo
`;

const headOf = (about: string, infra: string): string => `# ${about}
#
#   provisioning apply infra/${infra}.yaml --check     what would be done
#   provisioning apply infra/${infra}.yaml
#   provisioning status
#   provisioning delete ${infra}

infra: ${infra}

${PROVIDER}
servers:
`;

const minimal = (infra: string): string => `${headOf('One server with one service.', infra)}  - name: web
    plan: small

taskservs:
  - name: nginx
    public: [http]
`;

const web = (
  infra: string,
): string => `${headOf('Two web servers behind a load balancer, a database, a cache, and metrics of all of them.', infra)}  - name: hub
    plan: medium
    taskservs:
      # Finds the web servers by itself.
      - name: haproxy
        public: [http]
      - name: postgres
        config:
          users:
            - name: app
              # Made once and kept among the secrets.
              password: { generate: password }
          databases:
            - name: app
              owner: app
      - name: redis
        config:
          password: { generate: password }
      # Finds all that offers metrics by itself.
      - prometheus

  - name: web
    count: 2
    plan: small

taskservs:
  - name: nginx
    on: { role: web }
  - node-exporter
`;

const DEFINITIONS: Readonly<Record<WorkspaceTemplate, (infra: string) => string>> = { minimal, web };

/** Returns the files of a new workspace: a definition that validates and can be previewed immediately. */
export function filesOf(name: string, template: WorkspaceTemplate): WorkspaceFiles {
  return {
    'provisioning.yaml': `# Makes this folder a workspace. Its name is the same on every machine.\n${stringify({ name })}`,
    [`infra/${name}.yaml`]: DEFINITIONS[template](name),
    '.gitignore': IGNORED,
  };
}
