import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config/configuration.ts';
import { KernelConfig } from '../../config/kernel-config.ts';
import { secretsIn } from '../../config/secrets.ts';
import { TrustedProxies } from '../../http/origin/trusted-proxies.ts';
import type { Finding } from '../../contract/points/finding.ts';
import { installedPlugins, isOn } from '../../host/discovery.ts';
import { findExposure } from '../../kit/files/private-file.ts';
import { projectDir } from '../../kit/files/project-dir.ts';

/** Resolves with how safe a node's settings are, for doctor and for warnings at the start. */
export async function precautions(config: Config): Promise<Finding[]> {
  const { key } = config.tls;
  const secrets = await secretsByFile(config);
  return [
    proxies(config),
    ...[...secrets].map(([file, paths]) => privacy('configuration', file, `it holds ${paths.join(', ')}`)),
    ...(key === '' ? [] : [privacy('tls.key', key, 'it is a private key')]),
  ];
}

function proxies({ trusted_proxies: ranges, proxy_secret: secret }: Config): Finding {
  const name = 'trusted_proxies';
  if (!new TrustedProxies(ranges, secret).trustsEveryProcess)
    return { name, ok: true, detail: ranges.length === 0 ? 'none' : ranges.join(', ') };
  return {
    name,
    ok: false,
    detail: 'every local process, of customers too, may choose the address that it is known by',
    remedy: 'set proxy_secret, and have the proxy send it as X-Proxy-Secret',
  };
}

function privacy(name: string, file: string, why: string): Finding {
  const exposure = findExposure(file);
  if (exposure === undefined) return { name, ok: true, detail: `${file} is closed to other users` };
  return { name, ok: false, detail: `${file} ${exposure.problem}, and ${why}`, remedy: exposure.remedy };
}

/** Resolves with the files that hold secrets, and the paths of those. */
async function secretsByFile(config: Config): Promise<Map<string, string[]>> {
  const installed = installedPlugins().filter((each) => isOn(each, config));
  // its own finding says so
  const plugins = await Promise.all(installed.map((each) => each.load().catch(() => undefined)));
  const paths = [
    ...secretsIn(KernelConfig, config),
    ...plugins.flatMap((plugin) =>
      plugin?.config === undefined ? [] : secretsIn(plugin.config, config.sections[plugin.name], plugin.name),
    ),
  ];
  const files = new Map<string, string[]>();
  for (const path of paths) {
    const source = config.sourceOf(path);
    const file = [resolve(source), join(projectDir, source)].find((each) => existsSync(each));
    if (file !== undefined) files.set(file, [...(files.get(file) ?? []), path]);
  }
  return files;
}
