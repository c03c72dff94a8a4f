import { definePlugin, type Plugin } from '../../kernel/contract/plugin.ts';
import type { SiteRule, WebServerPart } from '../../kernel/contract/points/web-server-part.ts';
import { defineErrors } from '../../kernel/errors.ts';

const refuse = defineErrors({ webserver_failed: [502, 'The web server refused the change'] });

/** Stands for the web server in quick tests: it serves nothing, and notes by which rules it would. */
export class NotedWebServer {
  readonly #served = new Map<string, SiteRule>();
  /** Whether it refuses the next change. */
  refusesNext = false;
  /** By which rules it serves no site. */
  refuses: (rule: SiteRule) => boolean = () => false;
  readonly plugin: Plugin;

  /** `says` is what it says of itself at each question; without it there is none that could be asked. */
  constructor(says?: () => WebServerPart) {
    this.plugin = definePlugin({
      name: 'server',
      features: [],
      routes: {},
      setup: ({ gather }) => ({
        handlers: {},
        provides: {
          ...(says && { webServer: says }),
          siteChanged: async ({ id, name }) => {
            const parts = await gather('siteRules', [id]);
            const isRefused = this.refusesNext;
            this.refusesNext = false;
            const rules = parts.map((part) => {
              if (!part.ok) throw part.error;
              return part.value.get(id);
            });
            const rule = Object.assign({}, ...rules) as SiteRule;
            if (isRefused || this.refuses(rule)) throw refuse.webserver_failed('the server refuses');
            this.#served.set(name, rule);
          },
        },
      }),
    });
  }
  /** Returns by which rule a domain is served. */
  served(name: string): SiteRule | undefined {
    return this.#served.get(name);
  }
}
