% Shapes.
classdef Circle
  properties
    radius = 1
  end
  methods
    function a = area(obj)
      a = pi * obj.radius^2;
    end
  end
end
