// The buttons on the map: zoom, pan and area selection, without the need to drag.
import type { ButtonHTMLAttributes, ComponentType } from 'react';
import {
  IconArrowDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconFocusCentered,
  IconLasso,
  IconMaximize,
  IconMinus,
  IconPlus,
  IconRectangle,
} from '@tabler/icons-react';
import { Gate } from '#/ui/controls/gate.tsx';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';
import type { AreaTool } from './area-select.tsx';
import type { FleetMapModel } from './use-fleet-map.ts';
import classes from './map-page.module.css';

/** The share of the map's size that a pan button moves it by. */
const PAN = 0.4;
const TOOLS = [
  { tool: 'rectangle', name: 'Select in a rectangle', key: 'r', icon: IconRectangle },
  { tool: 'lasso', name: 'Select with a lasso', key: 'l', icon: IconLasso },
] as const;
const SHORTCUTS: readonly Shortcut[] = TOOLS.map(({ key, name }) => [[key], name]);
const PANS = [
  { name: 'Pan up', x: 0, y: -1, icon: IconArrowUp, area: 'up' },
  { name: 'Pan left', x: -1, y: 0, icon: IconArrowLeft, area: 'left' },
  { name: 'Pan right', x: 1, y: 0, icon: IconArrowRight, area: 'right' },
  { name: 'Pan down', x: 0, y: 1, icon: IconArrowDown, area: 'down' },
] as const;

/** Why nothing can be done that concerns all matching devices. */
export const STILL_LOADING = 'Some devices are still loading';

/** Whether a key belongs to a field or a dialog. */
const isTyping = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select, [role=dialog]') !== null);

interface ControlProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  name: string;
  icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': boolean }>;
}

const Control = ({ name, icon: Icon, ...button }: ControlProps) => (
  <button type="button" aria-label={name} title={name} {...button}>
    <Icon size={18} stroke={1.6} aria-hidden />
  </button>
);

export function MapControls({ model: { fleet, map, state, change, fit, shown, selected } }: { model: FleetMapModel }) {
  const { placed } = shown;
  const zoom = state.view?.zoom ?? map?.getZoom() ?? 2;
  const toggle = (tool: AreaTool) => change({ tool: state.tool === tool ? undefined : tool, message: '' });
  useShortcuts('Map', SHORTCUTS);
  useKeyDown((event) => {
    const meant = TOOLS.find(({ key }) => key === event.key);
    if (meant && !fleet.isPart && !isTyping(event) && !event.defaultPrevented) toggle(meant.tool);
  });
  const pan = (x: number, y: number) => {
    const size = map?.getSize();
    if (size) map?.panBy([x * PAN * size.x, y * PAN * size.y]);
  };
  return (
    <div className={classes.controls} role="group" aria-label="Map controls">
      <div className={classes.stack}>
        <Control
          name="Zoom in"
          icon={IconPlus}
          disabled={zoom >= (map?.getMaxZoom() ?? 18)}
          onClick={() => map?.zoomIn()}
        />
        <Control
          name="Zoom out"
          icon={IconMinus}
          disabled={zoom <= (map?.getMinZoom() ?? 0)}
          onClick={() => map?.zoomOut()}
        />
        <Gate why={placed.length === 0 ? 'No matching device has a location' : undefined}>
          <Control name="Show all" icon={IconMaximize} onClick={() => fit(placed)} />
        </Gate>
      </div>
      <div className={classes.stack}>
        {TOOLS.map(({ tool, name, key, icon }) => (
          <Gate key={tool} why={fleet.isPart ? STILL_LOADING : undefined}>
            <Control
              name={name}
              icon={icon}
              title={`${name} (${key.toUpperCase()})`}
              aria-keyshortcuts={key}
              aria-pressed={state.tool === tool}
              onClick={() => toggle(tool)}
            />
          </Gate>
        ))}
        <Gate why={selected.size === 0 ? 'No selected device is on the map' : undefined}>
          <Control name="Fit to selection" icon={IconFocusCentered} onClick={() => fit([...selected])} />
        </Gate>
      </div>
      <div className={classes.pans}>
        {PANS.map(({ name, x, y, icon, area }) => (
          <Control key={name} name={name} icon={icon} style={{ gridArea: area }} onClick={() => pan(x, y)} />
        ))}
      </div>
    </div>
  );
}
