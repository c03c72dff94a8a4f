import areas from 'hostkeep:areas/home';
import { start } from './start.tsx';
import { overviewArea } from './overview-area.ts';

void start({ name: 'home', base: '/home', areas: [overviewArea, ...areas] });
