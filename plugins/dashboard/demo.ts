import type { DashboardConfig } from './schema.ts';

const EXAMPLES = {
  custom_message: 'This is a demo: its sites, counts and history are sample data.',
  how_to_topics: [
    { link: 'https://help.hosting.example/domains/add', title: 'Add a domain' },
    { link: 'https://help.hosting.example/wordpress/move', title: 'Move a WordPress site here' },
    { link: 'https://help.hosting.example/account/two-factor', title: 'Protect your account with a second factor' },
  ],
  knowledge_base_link: 'https://help.hosting.example/',
};

/** Returns a demo's settings, with examples for what the operator left empty. */
export function withExamples(config: DashboardConfig): DashboardConfig {
  return {
    ...config,
    custom_message: config.custom_message ?? EXAMPLES.custom_message,
    how_to_topics: config.how_to_topics.length > 0 ? config.how_to_topics : EXAMPLES.how_to_topics,
    knowledge_base_link: config.knowledge_base_link || EXAMPLES.knowledge_base_link,
  };
}
