import { fail } from './errors.ts';
import { resolve } from 'node:path';
import { errorMessage } from '../../kernel/errors.ts';
import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import type { DemoWebServer } from '../../kernel/contract/points/demo.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { importDefault, pluginsWith } from '../../kernel/kit/files/plugin-files.ts';
import { findDriver } from './drivers.ts';
import { WebserverConfig } from './schema.ts';

/**
 * Has no routes: the domains plugin adds and removes domains, and calls the extension points `domainAdded` and
 * `domainRemoved`. While the web server or its folder fails, these points reject, so that no domain is added unserved.
 */
export default definePlugin({
  name: 'webserver',
  errors: fail,
  features: [],
  uses: ['domains'],
  config: WebserverConfig,
  routes: {},
  async setup(given) {
    const { config, leftOut } = given.node.isDemo ? await withDemoServer(given) : { config: given.config, leftOut: [] };
    const driver = findDriver(config);
    if (driver === undefined)
      return {
        handlers: {},
        provides: {
          demoOutside: () => ({ leftOut }),
          doctor: () => [unserved(config.driver)],
        },
      };
    // Loaded only where there is a web server, to save start-up time.
    return (await import('./domain-hosting.ts')).hostDomains({ ...given, config }, driver);
  },
});

function unserved(driver: string): Finding {
  const detail =
    driver === 'auto'
      ? 'nobody serves the domains, as neither nginx nor Caddy is installed'
      : 'nobody serves the domains, as webserver.driver is none';
  const remedy =
    driver === 'auto'
      ? 'install one (apt-get install nginx-light), and restart the server and its broker'
      : 'set webserver.driver to nginx, caddy or auto, or switch the plugin off';
  return { name: 'web server', ok: false, isWarning: true, detail, remedy };
}

/** In a demo whose configuration names no web server, starts one for the demo if it is installed. */
async function withDemoServer({
  config,
  node,
  onClose,
}: Host<WebserverConfig>): Promise<{ readonly config: WebserverConfig; readonly leftOut: string[] }> {
  const [plugin] = pluginsWith('demo-web-server');
  if (config.driver !== 'none' || plugin === undefined) return { config, leftOut: [] };
  try {
    const start = await importDefault<(folder: string) => Promise<DemoWebServer>>(plugin, 'demo-web-server');
    const demo = await start?.(resolve(node.config.data, 'nginx'));
    onClose(() => demo?.stop());
    return { config: { ...config, ...demo?.settings }, leftOut: [] };
  } catch (error) {
    return { config, leftOut: [`webserver: domains are not served: ${errorMessage(error)}`] };
  }
}
