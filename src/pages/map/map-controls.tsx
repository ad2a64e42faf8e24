// The buttons on the map: zoom, pan and the ways to select an area, for those who cannot or would rather not drag.
import { useEffect } from 'react';
import type { ComponentType } from 'react';
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
import type L from 'leaflet';
import type { AreaTool } from './area-select.tsx';
import classes from './map-page.module.css';

interface MapControlsProps {
  map: L.Map | null;
  zoom: number;
  tool: AreaTool | undefined;
  onTool: (tool: AreaTool | undefined) => void;
  /** Devices that can be shown. */
  placed: number;
  onShowAll: () => void;
  /** Selected devices that are on the map. */
  selected: number;
  onShowSelected: () => void;
}

/** Share of the map that a press on a pan button moves it by. */
const PAN = 0.4;
const TOOLS = [
  { tool: 'rectangle', name: 'Select in a rectangle', key: 'r', icon: IconRectangle },
  { tool: 'lasso', name: 'Select with a lasso', key: 'l', icon: IconLasso },
] as const;
const PANS = [
  { name: 'Pan up', x: 0, y: -1, icon: IconArrowUp, area: 'up' },
  { name: 'Pan left', x: -1, y: 0, icon: IconArrowLeft, area: 'left' },
  { name: 'Pan right', x: 1, y: 0, icon: IconArrowRight, area: 'right' },
  { name: 'Pan down', x: 0, y: 1, icon: IconArrowDown, area: 'down' },
] as const;

type Icon = ComponentType<{ size: number; stroke: number; 'aria-hidden': boolean }>;
const drawn = (Glyph: Icon) => <Glyph size={18} stroke={1.6} aria-hidden />;

/** Whether a key was meant for a field or a dialog. */
const isTyping = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select, [role=dialog]') !== null);

export function MapControls(props: MapControlsProps) {
  const { map, zoom, tool, onTool, placed, onShowAll, selected, onShowSelected } = props;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const meant = TOOLS.find(({ key }) => key === event.key);
      if (meant && !isTyping(event) && !event.defaultPrevented) onTool(tool === meant.tool ? undefined : meant.tool);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [tool, onTool]);
  const pan = (x: number, y: number) => {
    const size = map?.getSize();
    if (size) map?.panBy([x * PAN * size.x, y * PAN * size.y]);
  };
  return (
    <div className={classes.controls} role="group" aria-label="Map controls">
      <div className={classes.stack}>
        <button
          type="button"
          aria-label="Zoom in"
          title="Zoom in"
          disabled={zoom >= (map?.getMaxZoom() ?? 18)}
          onClick={() => map?.zoomIn()}
        >
          {drawn(IconPlus)}
        </button>
        <button
          type="button"
          aria-label="Zoom out"
          title="Zoom out"
          disabled={zoom <= (map?.getMinZoom() ?? 0)}
          onClick={() => map?.zoomOut()}
        >
          {drawn(IconMinus)}
        </button>
        <button
          type="button"
          aria-label="Show all"
          title={placed > 0 ? 'Show all' : 'Show all: no device of this filter has a place'}
          disabled={placed === 0}
          onClick={onShowAll}
        >
          {drawn(IconMaximize)}
        </button>
      </div>
      <div className={classes.stack}>
        {TOOLS.map(({ tool: of, name, key, icon }) => (
          <button
            key={of}
            type="button"
            aria-label={name}
            title={`${name} (${key.toUpperCase()})`}
            aria-keyshortcuts={key}
            aria-pressed={tool === of}
            onClick={() => onTool(tool === of ? undefined : of)}
          >
            {drawn(icon)}
          </button>
        ))}
        <button
          type="button"
          aria-label="Fit to selection"
          title={selected > 0 ? 'Fit to selection' : 'Fit to selection: no selected device is on the map'}
          disabled={selected === 0}
          onClick={onShowSelected}
        >
          {drawn(IconFocusCentered)}
        </button>
      </div>
      <div className={classes.pans}>
        {PANS.map(({ name, x, y, icon, area }) => (
          <button
            key={name}
            type="button"
            aria-label={name}
            title={name}
            style={{ gridArea: area }}
            onClick={() => pan(x, y)}
          >
            {drawn(icon)}
          </button>
        ))}
      </div>
    </div>
  );
}
