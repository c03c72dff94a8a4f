/** Shows the operations that the caller may use. The token is kept only in the memory of this page. */
const element = (id) => document.getElementById(id);
let description = {};

async function show(token) {
  const reply = await fetch(
    'openapi.json',
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  );
  const body = await reply.json();
  if (!reply.ok) throw new Error(body.title);
  description = { ...body, servers: [{ url: new URL('.', location.href).href.replace(/\/$/, '') }] };
  const ui = globalThis.SwaggerUIBundle({
    spec: description,
    domNode: element('operations'),
    validatorUrl: null,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    onComplete: () => token !== undefined && ui.preauthorizeApiKey('bearer', token),
  });
}

/** Finds the path of the login in the description: the POST that requires a user name and a password. */
function loginPath() {
  const isLogin = ({ post }) =>
    post?.requestBody?.content['application/json'].schema.required?.join() === 'username,password';
  return Object.keys(description.paths).find((path) => isLogin(description.paths[path]));
}

async function logIn() {
  const code = element('code').value.trim();
  const reply = await fetch(loginPath()?.slice(1) ?? 'api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      username: element('username').value,
      password: element('password').value,
      ...(code === '' ? {} : { twofa_code: code }),
    }),
  });
  const body = await reply.json();
  if (body.twofa_required) throw new Error('Enter the code of your second factor');
  if (!reply.ok) throw new Error(body.title);
  await show(body.token);
  element('password').value = element('code').value = '';
  element('state').value = `Logged in as ${element('username').value}`;
}

const reportErrors = (work) => work().catch((error) => void (element('state').value = error.message));
element('login').addEventListener('submit', (event) => {
  event.preventDefault();
  void reportErrors(logIn);
});
void reportErrors(() => show());
