/** Manifests and scripts for tests with a real API server. */

export const configMap = (name: string, colour: string, namespace = 'shop') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, namespace: ${namespace} }\ndata: { colour: ${colour} }\n---\n`;
export const SPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n---\n';
export const SECRET =
  'apiVersion: v1\nkind: Secret\nmetadata: { name: login, namespace: shop }\nstringData:\n  password: @PASSWORD@\n  user: @USER@\n---\n';
export const ROLE =
  'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: shop-reader }\nrules: [{ apiGroups: [""], resources: [pods], verbs: [get] }]\n---\n';
/** The object comes before its kind, which is sorted. */
export const KIND = `apiVersion: shop.example.org/v1
kind: Order
metadata: { name: first, namespace: shop }
spec: { pieces: 3 }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: orders.shop.example.org }
spec:
  group: shop.example.org
  scope: Namespaced
  names: { kind: Order, plural: orders, singular: order }
  versions:
    - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, x-kubernetes-preserve-unknown-fields: true } } } } }
---
`;
export const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: example.org/web:1 }] }
---
`;

/** Refuses ConfigMaps called `refused`, as an admission webhook of the host. */
export const WEBHOOK = `cat >/root/webhook.py <<'END'
import http.server, json, ssl
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers['Content-Length'])))['request']
        answer = {'uid': asked['uid'], 'allowed': asked['name'] != 'refused', 'status': {'message': 'nobody is called so'}}
        body = json.dumps({'apiVersion': 'admission.k8s.io/v1', 'kind': 'AdmissionReview', 'response': answer}).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.end_headers()
        self.wfile.write(body)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('/etc/kubernetes/pki/apiserver.crt', '/etc/kubernetes/pki/apiserver.key')
server = http.server.HTTPServer(('127.0.0.1', 9443), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
END
systemd-run -q --unit test-webhook python3 /root/webhook.py
kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f - <<END
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: names }
webhooks:
  - name: names.example.org
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: { url: https://127.0.0.1:9443/, caBundle: $(base64 -w0 /etc/kubernetes/pki/ca.crt) }
    rules: [{ apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [CREATE, UPDATE] }]
END`;

/** Two charts beside the other files: one whose values are shown, and one that cannot be rendered. */
export const CHART = `mkdir -p /srv/charts/web/templates /srv/charts/broken/templates && cd /srv/charts
for name in web broken; do printf 'apiVersion: v2\nname: %s\nversion: 1.0.0\n' $name >$name/Chart.yaml; done
echo 'colour: none' >web/values.yaml
cat >web/templates/page.yaml <<'END'
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }}-page }
data:
  colour: {{ .Values.colour | quote }}
  minor: {{ .Capabilities.KubeVersion.Minor | quote }}
  policy: {{ .Capabilities.APIVersions.Has "policy/v1/PodDisruptionBudget" | quote }}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: goodbye, annotations: { helm.sh/hook: post-delete } }
END
echo '{{ fail "no page here" }}' >broken/templates/page.yaml
for name in web broken; do tar czf /srv/files/$name-1.0.0.tgz $name; done`;
