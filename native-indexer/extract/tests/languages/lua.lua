local M = {}

local limit = 10

-- Says hello.
function M.greet(name)
  return "hello " .. name
end

function M:leave()
end

local function helper(x)
  return x
end

M.render = function(view)
  return view
end

return M
