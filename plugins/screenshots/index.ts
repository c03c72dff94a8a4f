import { join } from 'node:path';
import { Unavailable } from '../../kernel/errors.ts';
import { definePlugin, type Host } from '../../kernel/plugin-api/plugin.ts';
import { errors } from './errors.ts';
import { Camera } from './camera.ts';
import { findBrowser, missingPrograms } from './command.ts';
import { Disk } from './disk.ts';
import { findings } from './findings.ts';
import { Gallery, notFound, type Question } from './gallery.ts';
import { Gatekeeper } from './gatekeeper.ts';
import { metricsOf } from './metrics.ts';
import { OwnDomains, type Domains } from './own-domains.ts';
import { WIDTH } from './page.ts';
import { remoteUrl } from './remote.ts';
import { ScreenshotPath, ScreenshotQuery, ScreenshotsConfig, ScreenshotUrl, type Settings } from './schema.ts';
import { targetOf } from './target.ts';

const REMEDY = 'apt-get install chromium chromium-sandbox fonts-dejavu-core';
const DISK_FOLDER = 'screenshots';

export default definePlugin({
  name: 'screenshots',
  features: ['screenshots'],
  errors,
  needs: ['domains'],
  config: ScreenshotsConfig,
  routes: {
    show: {
      method: 'GET',
      path: '/api/screenshot/*path',
      summary: "A picture of a page of one of the account's domains",
      description:
        'The first screen, 1280×800, of http://<domain>/<path>, by a browser on the node. Kept for the configured time; `refresh` takes a new one.',
      params: ScreenshotPath,
      query: ScreenshotQuery,
      reply: ScreenshotUrl,
      produces: ['image/png'],
      headers: ['if-none-match'],
      errors: [
        'invalid_domain',
        'invalid_path',
        'domain_not_found',
        'rate_limited',
        'site_unreachable',
        'overloaded',
        'screenshots_unavailable',
      ],
    },
  },
  setup(host) {
    const domains = new OwnDomains(host.service<Domains>('domains'));
    return host.config.remote_url === '' ? local(host, domains) : remote(host.config, domains);
  },
});

type Asked = {
  readonly account: Question['account'];
  readonly params: ScreenshotPath;
  readonly query: ScreenshotQuery;
  header(name: 'if-none-match'): string;
};

function questionOf({ account, params, query: { width = WIDTH, refresh = false } }: Asked): Question {
  return { account, target: targetOf(params.path), width, refresh };
}

function remote({ remote_url: template, remote_key: key }: Settings, domains: OwnDomains) {
  const answer = (question: Question, own: ReadonlySet<string>) => {
    if (!own.has(question.target.domain)) throw notFound(question.target);
    return { url: remoteUrl(template, key, question.target, question, Date.now()) };
  };
  return {
    handlers: {
      show: (call: Asked) => {
        const question = questionOf(call);
        const own = domains.of(call.account);
        return own instanceof Promise ? own.then((names) => answer(question, names)) : answer(question, own);
      },
    },
  };
}

function local(host: Host<Settings>, domains: OwnDomains) {
  const { config, log } = host;
  const executable = findBrowser(config.executable);
  if (executable === undefined)
    throw new Unavailable(`there is no browser${config.executable === '' ? '' : ` at ${config.executable}`}`, REMEDY);
  const [missing] = missingPrograms();
  if (missing !== undefined) throw new Unavailable(`${missing} is missing`, 'apt-get install util-linux coreutils');
  const disk = new Disk(
    join(host.node.config.data, DISK_FOLDER),
    config.ttl_seconds * 1000,
    config.cache_bytes,
    (error) => log.warn({ err: error }, 'a kept picture could not be handled'),
  );
  const served = async () => (await host.gather('webServer')).find((part) => part.ok)?.value;
  const camera = new Camera(executable, config, log, new Gatekeeper(config, served));
  const gallery = new Gallery({
    take: (...question) => camera.take(...question),
    disk,
    domains,
    settings: config,
    log,
  });
  keepInStep(host, gallery, disk);
  host.onClose(() => camera.close().then(() => gallery.settle()));
  return {
    handlers: {
      show: (call: Asked) => {
        const picture = gallery.show(questionOf(call));
        const known = call.header('if-none-match');
        return picture instanceof Promise ? picture.then((taken) => taken.answer(known)) : picture.answer(known);
      },
    },
    provides: { doctor: () => findings(executable, config), metrics: () => metricsOf(camera, gallery) },
  };
}

/** Pictures leave with their domain: at once, and at the start those whose domain left while nobody looked. */
function keepInStep({ service, identity, events, log, onClose }: Host<Settings>, gallery: Gallery, disk: Disk): void {
  const forget = async (id: number) => gallery.forget(id, await identity.accounts.byId(id));
  const sweep = async () => {
    for (const id of await disk.accounts()) await forget(id);
  };
  let work: Promise<void> = Promise.resolve();
  const next = (task: () => Promise<void>) => {
    work = work
      .then(task)
      .catch((error: unknown) => log.warn({ err: error }, 'pictures of domains that left could not be removed'));
  };
  next(sweep);
  onClose(service<Domains>('domains').onChange((id) => next(() => forget(id))));
  onClose(events.listen(({ type }) => type === 'account.removed' && next(sweep)));
  onClose(() => work);
}
