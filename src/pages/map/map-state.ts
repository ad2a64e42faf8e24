// What is going on at the map and is not in its address: the part of the world in view, what is pointed at, the tool in
// hand and what was last done with it.
import { formatCount } from '#/lib/format.ts';
import type { AreaTool } from './area-select.tsx';
import type { Box } from './map-fleet.ts';

export interface MapState {
  view?: { box: Box; zoom: number };
  /** Row that the list points at. */
  hovered?: number | undefined;
  /** Row that the map points at. */
  pointed?: number | undefined;
  tool?: AreaTool | undefined;
  /** What was selected last, in words. */
  message: string;
  isListOpen: boolean;
  /** What opened the card by keyboard, and gets the focus back. */
  opener?: HTMLElement | undefined;
}

export type MapAction =
  | { is: 'moved'; box: Box; zoom: number }
  | { is: 'hovered'; row: number | undefined }
  | { is: 'pointed'; row: number | undefined }
  | { is: 'tool'; tool: AreaTool | undefined }
  | { is: 'tool put away' }
  | { is: 'area selected'; devices: number }
  | { is: 'list'; isOpen: boolean }
  | { is: 'card opened'; opener: HTMLElement | undefined }
  | { is: 'card closed' }
  | { is: 'placing' };

export const AT_START: MapState = { message: '', isListOpen: false };

export function mapReducer(state: MapState, action: MapAction): MapState {
  switch (action.is) {
    case 'moved':
      return { ...state, view: { box: action.box, zoom: action.zoom } };
    case 'hovered':
      return state.hovered === action.row ? state : { ...state, hovered: action.row };
    case 'pointed':
      return state.pointed === action.row ? state : { ...state, pointed: action.row };
    case 'tool':
      return { ...state, tool: action.tool, message: '' };
    case 'tool put away':
      return { ...state, tool: undefined };
    case 'area selected':
      return { ...state, tool: undefined, message: selectedText(action.devices) };
    case 'list':
      return { ...state, isListOpen: action.isOpen };
    case 'card opened':
      return { ...state, opener: action.opener, isListOpen: false };
    case 'card closed':
      return { ...state, opener: undefined };
    case 'placing':
      return { ...state, tool: undefined, isListOpen: false };
  }
}

const selectedText = (devices: number) =>
  devices === 0
    ? 'There was no device inside.'
    : `${formatCount(devices)} ${devices === 1 ? 'device' : 'devices'} added to the selection.`;
