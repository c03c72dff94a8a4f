import { createSocket } from 'node:dgram';
import { readFileSync, readlinkSync } from 'node:fs';
import * as assert from '../../../support/assert.ts';
import { NameServer } from '../fixtures/name-server.ts';
import { coloured, Site } from '../fixtures/site.ts';
import { browsers, closeHarnesses, Harness, withBrowser } from '../fixtures/harness.ts';
import { NO_RIGHTS, rightsIn } from '../../../support/process-rights.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('screenshots: threats');
const inBrowser = withBrowser(test);
const GREEN = '#008000';
const MIB = 1024 * 1024;

let site: Site;
let tlsSite: Site;
/** Stands for an internal server: any request to it is a breach. */
let internal: Site;
let names: NameServer;
let harness: Harness;

test.before(async () => {
  [site, tlsSite, internal, names] = await Promise.all([
    Site.start(),
    Site.start(true),
    Site.start(),
    NameServer.start(),
  ]);
  harness = await Harness.open({
    site_address: site.address,
    site_tls_address: tlsSite.address,
    dns_servers: [names.address],
    page_seconds: 12,
    page_bytes: 4 * MIB,
    page_requests: 60,
    page_memory_bytes: 256 * MIB,
    failure_seconds: 0,
  });
});
test.after(async () => {
  await closeHarnesses();
  await Promise.all([site, tlsSite, internal, names].map((each) => each.close()));
  await until('no browser is left', () => browsers().length === 0); // the browser's crash handlers end a moment after it
});

function redirect(path: string, to: string): void {
  site.page(path, (_, response) => void response.writeHead(302, { Location: to }).end());
}

// threat ssrf: redirects to metadata, private and loopback addresses are refused
inBrowser('a redirect to a metadata, private or loopback address reaches nothing: 502', async () => {
  const targets = [
    'http://169.254.169.254/latest/meta-data/',
    `http://${internal.address}/secret`,
    `http://localhost:${internal.port}/secret`,
    'http://10.0.0.1/',
    `http://[::1]:${internal.port}/`,
    'http://[fd00:ec2::254]/',
    'http://2130706433/',
    'http://0/',
  ];
  await Promise.all(
    targets.map(async (target, i) => {
      redirect(`/to-${i}`, target);
      const { status, error } = await harness.capture(`pictures.test/to-${i}`);
      assert.is(`${target} ${status} ${error}`, `${target} 502 site_unreachable`);
    }),
  );
  assert.equal(internal.requests, []);
});

inBrowser('a redirect, a frame or a script to file:///etc/passwd shows no file', async () => {
  redirect('/file', 'file:///etc/passwd');
  assert.is((await harness.capture('pictures.test/file')).status, 502);
  site.page(
    '/file-frame',
    coloured('green') +
      '<iframe src="file:///etc/passwd" style="position:absolute;inset:0;width:100%;height:100%;border:0"></iframe>',
  );
  assert.is(await harness.colour('pictures.test/file-frame'), GREEN);
  site.page(
    '/file-script',
    coloured(
      'green',
      `location = "file:///etc/passwd";
      fetch("file:///etc/passwd").then(() => (document.body.style.background = "red"));`,
    ),
  );
  assert.is(await harness.colour('pictures.test/file-script'), GREEN);
});

// threat ssrf: a page cannot load from internal addresses
inBrowser('a page that loads from internal addresses gets nothing from them', async () => {
  const origin = `http://${internal.address}`;
  internal.page(
    '/style.css',
    (_, response) => void response.setHeader('Content-Type', 'text/css').end('body { background: red !important }'),
  );
  site.page(
    '/inside',
    coloured(
      'green',
      `for (let i = 0; i < 5; i++) fetch("${origin}/" + i, { mode: "no-cors" }).catch(() => 0);
      new WebSocket("ws://${internal.address}/ws");
      navigator.sendBeacon("${origin}/beacon", "x")`,
    ) +
      `<link rel=stylesheet href="${origin}/style.css"><link rel=preconnect href="${origin}">
      <link rel=dns-prefetch href="${origin}"><img src="${origin}/i"><iframe hidden src="${origin}/f"></iframe>`,
  );
  assert.is(await harness.colour('pictures.test/inside'), GREEN);
  assert.equal(internal.requests, []);
});

// threat ssrf: DNS names that resolve to loopback are refused, also if they first resolved elsewhere
inBrowser('a name that resolves to loopback is refused, also when it did not at first', async () => {
  names.answer('loopback.test', '127.0.0.1');
  redirect('/name', 'http://loopback.test/');
  assert.is((await harness.capture('pictures.test/name')).status, 502);
  assert.ok(names.requests.includes('loopback.test'), 'the name was resolved by the configured name server');
  names.answer('rebound.test', '10.1.2.3', '127.0.0.1');
  site.page(
    '/rebind',
    coloured(
      'green',
      `const fail = () => (document.body.style.background = "red");
      for (const i of [1, 2, 3]) fetch("http://rebound.test/" + i).then(fail, () => 0);`,
    ),
  );
  assert.is(await harness.colour('pictures.test/rebind'), GREEN);
});

// threat trusted-loopback: pictures of own sites come from an address of their own
inBrowser('pages of own domains are loaded from the source address', async () => {
  const seen = new Set<string | undefined>();
  const page: Parameters<Site['page']>[1] = ({ socket }, response) => {
    seen.add(socket.remoteAddress);
    response
      .setHeader('Content-Type', 'text/html')
      .end(coloured(socket.remoteAddress === '127.0.0.1' ? 'red' : 'green'));
  };
  site.page('/server-status', page);
  tlsSite.page('/server-status', page);
  redirect('/tls-status', 'https://pictures.test/server-status');
  assert.is(await harness.colour('pictures.test/server-status'), GREEN);
  assert.is(await harness.colour('pictures.test/tls-status'), GREEN);
  assert.equal([...seen], ['127.0.0.2']);
});

inBrowser("another port of the account's domain does not reach the node", async () => {
  names.answer('pictures.test', '127.0.0.1');
  redirect('/port', `http://pictures.test:${internal.port}/secret`);
  assert.is((await harness.capture('pictures.test/port')).status, 502);
  assert.equal(internal.requests, []);
});

inBrowser('WebRTC and WebTransport send nothing past the proxy', async () => {
  const udp = createSocket('udp4');
  const packets: string[] = [];
  udp.on('message', (packet) => packets.push(packet.toString('hex')));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const { port } = udp.address();
  tlsSite.page(
    '/rtc',
    coloured(
      'green',
      `
    const turn = { urls: "turn:127.0.0.1:${port}", username: "u", credential: "p" };
    const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }, turn] });
    peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    try { new WebTransport("https://127.0.0.1:${port}/").ready.catch(() => 0); } catch {}
    addEventListener("load", () => fetch("/slow").catch(() => 0));`,
    ),
  );
  tlsSite.page('/slow', (_, response) => void setTimeout(() => response.end(), 1000));
  redirect('/rtc', 'https://pictures.test/rtc');
  const colour = await harness.colour('pictures.test/rtc').finally(() => udp.close());
  assert.is(colour, GREEN);
  assert.equal(packets, []);
});

inBrowser('service workers, pop-ups, cameras, notifications and downloads are off', async () => {
  tlsSite.page('/worker.js', (_, response) => void response.setHeader('Content-Type', 'text/javascript').end(''));
  tlsSite.page(
    '/features',
    coloured(
      'red',
      `(async () => {
    const open = [];
    if (navigator.serviceWorker) open.push("service worker");
    if (globalThis.SharedWorker) open.push("shared worker");
    if (window.open("/popup")) open.push("pop-up");
    await navigator.mediaDevices?.getUserMedia({ video: true, audio: true }).then(() => open.push("camera"), () => 0);
    if ((await globalThis.Notification?.requestPermission()) === "granted") open.push("notifications");
    const link = Object.assign(document.createElement("a"), { href: "/popup", target: "_blank" });
    document.body.append(link); link.click();
    document.title = open.join(); document.body.style.background = open.length === 0 ? "green" : "red";
    new Image().src = "/done?" + open.join();
  })()`,
    ) + '<img src="/until-done">',
  );
  const done = tlsSite.next('/done?');
  tlsSite.page('/until-done', (_, response) => void done.then(() => response.end()));
  redirect('/features', 'https://pictures.test/features');
  assert.is(await harness.colour('pictures.test/features'), GREEN, tlsSite.requests.join('\n'));
  assert.is(tlsSite.count('/popup'), 0);
  site.page(
    '/download',
    (_, response) =>
      void response
        .writeHead(200, {
          'Content-Disposition': 'attachment; filename=x.bin',
          'Content-Type': 'application/octet-stream',
        })
        .end('x'),
  );
  assert.is((await harness.capture('pictures.test/download')).status, 502);
});

// threat hostile-page: an endless page is captured within its time limit
inBrowser('an endless page is captured as it is, within its time', async () => {
  const timers = new Set<NodeJS.Timeout>();
  site.page('/endless', (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).write(coloured('green'));
    const timer = setInterval(() => response.write('<p>more</p>'), 20);
    timers.add(timer);
    response.on('close', () => clearInterval(timer));
  });
  assert.is(await harness.colour('pictures.test/endless'), GREEN);
  for (const timer of timers) clearInterval(timer);
});

inBrowser('a 200 MB image costs no more than the limit, and the page is shown without it', async () => {
  let sent = 0;
  site.page('/big.png', (_, response) => {
    response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': 200 * MIB });
    const chunk = Buffer.alloc(64 * 1024);
    const send = (): void => {
      while (!response.destroyed && sent < 200 * MIB) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', send);
      }
    };
    send();
  });
  site.page('/big', `${coloured('green')}<img src="/big.png">`);
  assert.is(await harness.colour('pictures.test/big'), GREEN);
  assert.ok(sent < 32 * MIB, `${sent} bytes left the site`);
});

// threat hostile-page: the number of a page's requests is limited
inBrowser('a storm of requests, also from a worker, is cut off', async () => {
  site.page('/hit', (_, response) => void response.end('x'));
  site.page(
    '/storm.js',
    (_, response) =>
      void response
        .setHeader('Content-Type', 'text/javascript')
        .end('for (let i = 0; i < 400; i++) fetch("/hit?w" + i).catch(() => 0)'),
  );
  site.page(
    '/storm',
    coloured('green', 'for (let i = 0; i < 400; i++) fetch("/hit?" + i).catch(() => 0); new Worker("/storm.js")'),
  );
  assert.is(await harness.colour('pictures.test/storm'), GREEN);
  const hits = site.requests.filter((each) => each.includes('/hit')).length;
  assert.ok(hits < 300, `${hits} of 800 requests came through`);
});

inBrowser('alert loops: a finite one ends, an endless one costs its page and nothing else', async () => {
  site.page(
    '/alerts',
    coloured(
      'red',
      'for (let i = 0; i < 1000; i++) { alert(i); confirm(i); prompt(i); } document.body.style.background = "green"',
    ),
  );
  site.page('/alert-loop', coloured('red', 'for (;;) alert(1)'));
  site.page('/frame-alert-loop', `${coloured('red')}<iframe srcdoc="<script>for (;;) alert(1)</script>"></iframe>`);
  site.page('/after', coloured('green'));
  assert.is(await harness.colour('pictures.test/alerts'), GREEN);
  const [loop, frame, after] = await Promise.all([
    harness.capture('pictures.test/alert-loop'),
    harness.capture('pictures.test/frame-alert-loop'),
    harness.capture('pictures.test/after'),
  ]);
  assert.equal([loop.status, frame.status, after.status], [502, 502, 200]);
});

// threat hostile-page: a page that exceeds its memory limit is ended, and others are not
inBrowser('a page over the memory limit is killed, and others are not', async () => {
  site.page('/objects', coloured('red', 'const all = []; for (;;) all.push({ a: [1, 2, 3, {}] });'));
  site.page(
    '/buffers',
    coloured(
      'red',
      // Many at a time: a busy browser calls timers seldom. What the kernel refuses at its own limit, the page asks for in small parts.
      `const all = [];
    const more = () => {
      try { for (let i = 0; i < 64; i += 1) all.push(new Uint8Array(8 << 20).fill(1)); }
      catch { for (;;) all.push([1, 2, 3, {}]); }
    };
    more(); setInterval(more, 10);
    addEventListener("load", () => fetch("/never"))`,
    ) + '<img src="/never">',
  );
  site.page('/never', () => undefined);
  site.page('/modest', coloured('green'));
  const [objects, buffers, modest] = await Promise.all([
    harness.capture('pictures.test/objects'),
    harness.capture('pictures.test/buffers'),
    harness.capture('pictures.test/modest'),
  ]);
  assert.equal([objects.status, buffers.status, modest.status], [502, 502, 200]);
});

// threat hostile-page: the browser has no right that a page could use
inBrowser('no process of the browser has a capability; those that show pages are filtered', async () => {
  let answer: () => void = () => undefined;
  site.page('/held', (_, response) => void (answer = () => response.end(coloured('green'))));
  const requested = site.next('/held');
  const shot = harness.capture('pictures.test/held');
  await Promise.race([requested, shot]);
  const namespace = readlinkSync('/proc/self/ns/user');
  const seen = browsers().map(({ pid, command }) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const isOutside = readlinkSync(`/proc/${pid}/ns/user`) !== namespace;
    return { command, isOutside, rights: rightsIn(status), filter: /^Seccomp:\s+(\d)/m.exec(status)?.[1] };
  });
  answer();
  assert.is((await shot).status, 200);
  for (const { command, isOutside, rights } of seen)
    // In a namespace of its own, the sandbox may have rights over what is in there.
    assert.equal(isOutside ? { ...NO_RIGHTS, NoNewPrivs: rights['NoNewPrivs'] } : rights, NO_RIGHTS, command);
  const pages = seen.filter(({ command }) => command.includes('--type=renderer'));
  assert.ok(pages.length > 0);
  for (const { command, filter } of pages) assert.is(filter, '2', command);
});

inBrowser('a browser killed during a capture is restarted, and the screenshot is taken', async () => {
  let answer: () => void = () => undefined;
  site.page(
    '/slow',
    (_, response) => void (answer = () => response.setHeader('Content-Type', 'text/html').end(coloured('green'))),
  );
  const requested = site.next('/slow');
  const shot = harness.colour('pictures.test/slow');
  await requested;
  const again = site.next('/slow');
  for (const { pid, isMain } of browsers()) if (isMain) process.kill(pid, 'SIGKILL');
  await again;
  answer();
  assert.is(await shot, GREEN);
  assert.is(
    (await harness.capture('pictures.test/buffers%3F2')).status,
    502,
    'memory is watched in the next browser too',
  );
  await until('one browser', () => browsers().filter(({ isMain }) => isMain).length === 1);
});

inBrowser('a browser that is frozen is replaced, and the screenshots are taken', async () => {
  const patient = await Harness.open({
    site_address: site.address,
    public_addresses: false,
    pages: 2,
    page_seconds: 60,
  });
  const others = new Set(browsers().map(({ pid }) => pid));
  const answers: (() => void)[] = [];
  site.page('/waits', (_, response) => {
    answers.push(() => response.setHeader('Content-Type', 'text/html').end(coloured('green')));
  });
  site.page('/meanwhile', coloured('green'));
  const requested = site.next('/waits');
  const waiting = patient.colour('pictures.test/waits');
  await requested;
  const again = site.next('/waits');
  for (const { pid, command } of browsers())
    if (!others.has(pid) && !command.includes('crashpad')) process.kill(pid, 'SIGSTOP');
  assert.is(await patient.colour('pictures.test/meanwhile'), GREEN);
  await again;
  for (const answer of answers) answer();
  assert.is(await waiting, GREEN);
  await patient.close();
});

// threat hostile-page: the browser runs sandboxed as an unprivileged user
inBrowser('the browser runs sandboxed as an unprivileged user', async () => {
  site.page('/user', coloured('green'));
  assert.is(await harness.colour('pictures.test/user'), GREEN);
  const found = browsers();
  assert.ok(found.length > 1);
  assert.ok(
    found.every(({ uid }) => uid !== 0),
    'nothing runs as root',
  );
  assert.ok(
    found.every(({ command }) => !command.includes('--no-sandbox')),
    'everything is sandboxed',
  );
});
