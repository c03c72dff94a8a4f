/** Modules that the build makes: see `build/bundle.ts`. */
declare module 'hostkeep:areas/home' {
  const areas: readonly import('./area.ts').Area[];
  export default areas;
}
declare module 'hostkeep:areas/console' {
  const areas: readonly import('./area.ts').Area[];
  export default areas;
}
declare module 'hostkeep:texts/*' {
  const texts: Readonly<Partial<Record<import('hostkeep:text-keys').TextKey, string>>>;
  export default texts;
}
declare module '*.css' {
  const text: string;
  export default text;
}
/** Whether `npm run dev` built this. */
declare const IS_DEVELOPMENT: boolean;
